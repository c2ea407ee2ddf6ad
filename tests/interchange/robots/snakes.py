"""Robots of other people's kinds as files, for tests: facts about their structure, written here."""

from __future__ import annotations

SLANTED = """\
<mujoco model="slanted">
  <compiler angle="degree" eulerseq="ZYX" autolimits="true"/>
  <option gravity="0 0 -9.81"/>
  <default>
    <geom density="900" contype="1" conaffinity="2"/>
    <joint damping="0.3"/>
    <default class="strong">
      <joint range="-70 50" armature="0.01"/>
      <position kp="30" kv="0.5" forcerange="-4 4"/>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="head" pos="0.2 0.1 0.5" euler="90 0 0" childclass="strong">
      <freejoint/>
      <geom type="capsule" fromto="0 0.02 0 0 0.08 0" size="0.02"/>
      <body name="second" axisangle="0 1 0 180">
        <joint name="a" axis="0 0 -1"/>
        <geom type="capsule" fromto="0 -0.02 0 0 -0.08 0" size="0.02" mass="0.2"/>
        <body name="third" pos="0 -0.1 0" quat="0.5 0.5 0.5 0.5">
          <joint name="b" axis="0 1 0" class="main" ref="10" range="-20 30"/>
          <geom type="capsule" size="0.02 0.03" pos="-0.05 0 0" zaxis="1 0 0"/>
          <frame pos="-0.05 0 0">
            <geom type="sphere" size="0.01"/>
          </frame>
          <body name="fourth" pos="-0.1 0 0">
            <joint name="c1" axis="0 1 0"/>
            <joint name="c2" axis="0 0 1" pos="-0.02 0 0"/>
            <geom type="capsule" fromto="-0.04 0 0 -0.1 0 0" size="0.02"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position joint="a" class="strong"/>
    <motor joint="b" gear="3" ctrlrange="-1 1"/>
    <general joint="c1" gainprm="7" biastype="affine" biasprm="0 -7 -0.2" gear="2"/>
    <velocity joint="c2" kv="0.4"/>
  </actuator>
</mujoco>
"""
"""Four links from head to tail, each in a frame turned another way, with defaults, classes and four actuators."""


def many_link_swimmer(links: int = 6) -> str:
    """A swimmer of the structure that dm_control's has.

    The head is the root and looks along -y. There are classes inside classes, masses in boxes that nothing is drawn
    with, slides and a hinge at the root.
    """
    body = '<body name="segment" pos="0 .1 0"><geom class="visual"/><geom class="inertial"/>'
    limit = 360.0 / links
    inside = ""
    for k in reversed(range(links - 1)):
        named = body.replace("segment", f"segment_{k}")
        inside = f'{named}<joint name="joint_{k}" range="{-limit} {limit}"/>{inside}</body>'
    motors = "".join(f'<motor name="motor_{k}" joint="joint_{k}"/>' for k in range(links - 1))
    return f"""\
<mujoco model="swimmer">
  <option timestep="0.002" density="3000"><flag contact="disable"/></option>
  <default>
    <default class="swimmer">
      <joint type="hinge" pos="0 -.05 0" axis="0 0 1" limited="true" armature="1e-6"/>
      <default class="inertial"><geom type="box" size=".001 .05 .01" mass=".01"/></default>
      <default class="visual"><geom type="capsule" size=".01" fromto="0 -.05 0 0 .05 0" mass="0"/></default>
    </default>
    <default class="free"><joint limited="false" stiffness="0" armature="0"/></default>
    <motor gear="5e-4" ctrllimited="true" ctrlrange="-1 1"/>
  </default>
  <worldbody>
    <geom name="ground" type="plane" size="2 2 0.1"/>
    <body name="head" pos="0 0 .05" childclass="swimmer">
      <geom name="skull" type="ellipsoid" size=".02 .04 .017" pos="0 -.022 0" mass="0"/>
      <joint name="rootx" class="free" type="slide" axis="1 0 0" pos="0 -.05 0"/>
      <joint name="rooty" class="free" type="slide" axis="0 1 0" pos="0 -.05 0"/>
      <joint name="rootz" class="free" type="hinge" axis="0 0 1" pos="0 -.05 0"/>
      <geom class="inertial"/>
      <geom class="visual"/>
      {inside}
    </body>
    <geom name="target" type="sphere" pos="1 1 .05" size=".1"/>
  </worldbody>
  <actuator>{motors}</actuator>
</mujoco>
"""


def sea_snake(modules: int = 15) -> str:
    """A URDF of alternating pitch and yaw modules, 64 mm long, 205 g, 51 mm thick, 7 N m, as the data sheet of the SEA
    Snake has them. Each module is turned by 90 degrees against the one before, so that all axes are z of their link."""
    length, mass, radius = 0.064, 0.205, 0.0255
    along, across = mass * radius**2 / 2, mass * (3 * radius**2 + length**2) / 12
    links = "".join(
        f"""
  <link name="module_{k}">
    <inertial><origin xyz="{length / 2} 0 0"/><mass value="{mass}"/>
      <inertia ixx="{along}" iyy="{across}" izz="{across}" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="{length / 2} 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius="{radius}" length="{length}"/></geometry></collision>
  </link>"""
        for k in range(modules)
    )
    joints = "".join(
        f"""
  <joint name="axis_{k}" type="revolute">
    <parent link="module_{k}"/><child link="module_{k + 1}"/>
    <origin xyz="{length} 0 0" rpy="{1.5707963267948966 if k % 2 == 0 else -1.5707963267948966} 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1.5707963267948966" upper="1.5707963267948966" effort="7" velocity="3.456"/>
  </joint>"""
        for k in range(modules - 1)
    )
    return f'<?xml version="1.0"?>\n<robot name="sea-snake">{links}{joints}\n</robot>\n'
