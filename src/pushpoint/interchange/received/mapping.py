"""The mapping file: which columns or topics of a recording show which channels, in which units, counted from where."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping as Pairs, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pushpoint.brief import brief
from pushpoint.description.complaints import Keys, placed
from pushpoint.description.files import SourceFile
from pushpoint.description.reading import Reader
from pushpoint.errors import BadFile, InvalidModel, PushpointError, UnknownName
from pushpoint.model.arguments import checked_arguments
from pushpoint.model.checks import Many, OneLine, check_fields, finite, members
from pushpoint.model.quantities import Count, Line, Number
from pushpoint.worlds.recorded import ALONG_AXES, CHANNEL, NAMES, NUMBERED, PLAIN

UNITS: dict[str, dict[str, float]] = {
    "joint_angle": {"rad": 1.0, "deg": math.pi / 180.0, "turn": 2.0 * math.pi},
    "joint_rate": {"rad/s": 1.0, "rad s-1": 1.0, "deg/s": math.pi / 180.0, "rpm": math.pi / 30.0},
    "joint_torque": {"N m": 1.0, "Nm": 1.0, "mN m": 1e-3, "N mm": 1e-3, "N cm": 1e-2},
    "link_position": {"m": 1.0, "cm": 1e-2, "mm": 1e-3},
    "center_of_mass": {"m": 1.0, "cm": 1e-2, "mm": 1e-3},
}
"""Units that a channel may be recorded in, and what they are in SI; the first is the default."""
TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
"""Units of a column of times, in nanoseconds."""
PLAIN_KEYS = {
    "numbering": str,
    "links": int,
    "joints": int,
    "clock": str,
    "time": str,
    "time_unit": str,
    "delimiter": str,
}
"""Keys of a mapping file whose values are plain, and their types."""
AXES = ("x", "y", "z", "-x", "-y", "-z")
Axis = Annotated[str, OneLine()]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where the numbers of a channel are, and how they were written down."""

    column: Line = ""
    """Name of the column, in a CSV file."""
    topic: Line = ""
    """Topic of the messages, in a log."""
    field: Line = ""
    """Field of a message, such as wrench.torque.z; default: the usual one of its type."""
    names: Sequence[str] = ()
    """Names of the joints in the messages, in the order of numbers; default: the order in the messages."""
    frame: Line = ""
    """Which frame, of messages that hold several."""
    unit: Line = ""
    """Unit of the numbers; default: the one behind the name of the column in [ ], or SI."""
    sign: Literal["+", "-"] = "+"
    """Whether a positive reading stands for a positive value."""
    zero: Number = 0.0
    """The reading that stands for zero, in its unit."""
    late: Number = 0.0
    """How late the stamps are [s]: an event at time t is stamped t + late."""
    axes: Annotated[Sequence[Axis], Many(None, "a list of axes")] = ("x", "y", "z")
    """Which axes of the recording become x, y and z, such as [x, -z, y]; two leave z out."""

    def __post_init__(self) -> None:
        check_fields(self, "source")
        object.__setattr__(self, "names", members("source.names", self.names, str, "a name"))
        if bool(self.column) == bool(self.topic):
            given = "both" if self.column else "neither"
            raise InvalidModel("source: column and topic", given, "a column of a CSV file or the topic of a log")
        if not (2 <= len(self.axes) <= 3 and all(axis in AXES for axis in self.axes)):
            raise InvalidModel("source.axes", list(self.axes), "two or three of x, y, z, -x, -y, -z")


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """How a recording is to be read.

    For example:

        source = pp.interchange.Source(topic="/joint_states", unit="deg")
        mapping = pp.interchange.Mapping(channels={"joint_angle": source})
    """

    __repr__ = brief

    channels: Pairs[str, Source]
    """Sources by what they show: joint_angle[3], link_position[10].x, or joint_angle for all joints at once."""
    numbering: Literal["tail", "head"] = "tail"
    """Where numbers begin: link 0 and joint 0 are at this end."""
    links: Count | None = None
    """How many links the robot has; needed to count from the head."""
    joints: Count | None = None
    """How many joints it has; default: one fewer than links."""
    start: Any = None
    """What the recording's clock shows when the run starts [s], or "first" for its first sample.

    Default: 0 for a CSV file, the first sample for a log.
    """
    clock: Literal["header", "log"] = "header"
    """Which time of a message counts: the one in its header, if it has one, or when it was written down."""
    time: Line = "t"
    """Name of the column of times, in a CSV file."""
    time_unit: Literal["s", "ms", "us", "ns"] = "s"
    """Unit of that column."""
    delimiter: str = ","
    """What separates the columns of a CSV file."""

    def __post_init__(self) -> None:
        check_fields(self, "mapping")
        if not isinstance(self.channels, Pairs) or not self.channels:
            raise InvalidModel("mapping.channels", self.channels, f"sources of channels, such as {NAMES}")
        for name, source in self.channels.items():
            if not isinstance(source, Source):
                raise InvalidModel(f"mapping.channels: {name}", source, "a Source")
            _check_channel(str(name), source)
        object.__setattr__(self, "channels", {str(name).strip(): source for name, source in self.channels.items()})
        if self.start is not None and not (isinstance(self.start, str) and self.start == "first"):
            object.__setattr__(self, "start", finite("mapping.start", self.start, "s"))
        if self.numbering == "head" and self.links is None:
            raise InvalidModel("mapping.links", None, "given where numbers count from the head")
        if (
            len(self.delimiter) != 1
            or not (self.delimiter == "\t" or self.delimiter.isprintable())
            or (self.delimiter in '".')
        ):
            raise InvalidModel("mapping.delimiter", self.delimiter, "one character, such as , or ; or a tab")

    def count(self, dim: str) -> int | None:
        """How many links or joints there are, as far as that is known."""
        if dim == "joint" and self.joints is not None:
            return self.joints
        return self.links if dim == "link" or self.links is None else self.links - 1


class Target(NamedTuple):
    """A channel, as it is named in a mapping."""

    variable: str
    """The variable of a run."""
    number: int | None
    """Which joint or link, as the mapping counts; None for all of them, or for the robot as a whole."""
    axis: str | None
    """Which axis; None for all of them, or for a joint."""


def channel_target(name: str) -> Target:
    """What a key such as joint_angle, link_position[10] or link_position[10].x stands for."""
    parts = CHANNEL.fullmatch(name.strip())
    if parts is None or parts["variable"] not in (*NUMBERED, *PLAIN):
        raise UnknownName("channel", name, (*NUMBERED, *PLAIN, "joint_angle[3]", "link_position[10].x"))
    number, variable = parts["number"], str(parts["variable"])
    if (number is not None and variable in PLAIN) or (parts["axis"] and variable not in ALONG_AXES):
        raise InvalidModel("channel", name, f"such as {NAMES}")
    if number is None and parts["axis"] and variable in NUMBERED:
        raise InvalidModel("channel", name, f"such as {NAMES}, or {variable} for all {NUMBERED[variable]}s at once")
    return Target(variable, None if number is None else int(number), parts["axis"])


def _check_channel(name: str, source: Source) -> None:
    """Raises an error unless a source fits the channel."""
    target = channel_target(name)
    if source.unit and source.unit not in UNITS[target.variable]:
        raise InvalidModel(
            f"mapping.channels: {name}: unit", source.unit, f"one of {', '.join(UNITS[target.variable])}"
        )
    single = target.axis is not None or (target.variable not in ALONG_AXES and target.number is not None)
    if source.column and not single:
        raise InvalidModel(f"mapping.channels: {name}: column", source.column, f"of a single number, such as {NAMES}")


def from_tail(mapping: Mapping, variable: str, number: int) -> int:
    """The number of a joint or link from the tail; raises InvalidModel for one that the robot does not have."""
    dim = NUMBERED[variable]
    count = mapping.count(dim)
    if count is not None and number >= count:
        raise InvalidModel(f"mapping.channels: {variable}", number, f"0 to {count - 1} for {count} {dim}s")
    return number if mapping.numbering == "tail" or count is None else count - 1 - number


def factor_of(variable: str, unit: str) -> float:
    """What a unit of a variable is in SI."""
    known = UNITS[variable]
    if unit and unit not in known:
        raise InvalidModel(f"recording: unit of {variable}", unit, f"one of {', '.join(known)}")
    return known[unit] if unit else 1.0


@checked_arguments
def read_mapping(path: str | Path) -> Mapping:
    """Reads a mapping file, as YAML. Every complaint names its line."""
    source = SourceFile(path)
    document = {key: value for key, value in source.document.items() if key != "name"}
    reader = Reader(document, source.where)
    reader.require((), ("channels",))
    channels = {}
    for name in reader.section(("channels",)):
        keys: Keys = ("channels", name)
        made = reader.make(Source, keys)
        with _at(reader, keys):
            _check_channel(str(name), made)
        channels[str(name)] = made
    reader.check_keys((), ("channels", "start", *PLAIN_KEYS))
    given = {key: reader.read(kind, (key,)) for key, kind in PLAIN_KEYS.items() if document.get(key) is not None}
    start = document.get("start")
    if start is not None and start != "first":
        start = reader.read(float, ("start",))
    try:
        found = Mapping(channels=channels, start=start, **given)
    except InvalidModel as error:
        raise placed(error, error.place[1:2], reader.where) from None
    for name in found.channels:
        target = channel_target(name)
        if target.number is not None:
            with _at(reader, ("channels", name)):
                from_tail(found, target.variable, target.number)
    return found


@contextmanager
def _at(reader: Reader, keys: Keys) -> Iterator[None]:
    """Puts file and line in front of an error."""
    try:
        yield
    except BadFile:
        raise
    except PushpointError as error:
        raise placed(error, keys, reader.where) from None
