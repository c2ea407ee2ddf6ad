"""Numbers that sum up a run. Each function takes a Dataset, with or without a `world` dimension."""

from pushpoint.simulation.measures.curve_fit import curve_fit as curve_fit
from pushpoint.simulation.measures.efficiency import (
    drag_efficiency as drag_efficiency,
    propulsive_efficiency as propulsive_efficiency,
)
from pushpoint.simulation.measures.effort import (
    cost_of_transport as cost_of_transport,
    mean_power as mean_power,
    motor_work as motor_work,
    per_motor as per_motor,
    positive_cost_of_transport as positive_cost_of_transport,
    positive_work as positive_work,
)
from pushpoint.simulation.measures.energy import energy_budget as energy_budget
from pushpoint.simulation.measures.motion import (
    distance as distance,
    head_distance as head_distance,
    heading as heading,
    mean_velocity as mean_velocity,
    path_length as path_length,
)
from pushpoint.simulation.measures.overview import (
    MEASURES as MEASURES,
    UNITS as UNITS,
    notes as notes,
    summary as summary,
)
from pushpoint.simulation.measures.path_errors import (
    course_error as course_error,
    cross_track_error as cross_track_error,
    settling_distance as settling_distance,
)
from pushpoint.simulation.measures.periods import (
    averaging_window as averaging_window,
    detected_period as detected_period,
    gait_period as gait_period,
    whole_periods as whole_periods,
)
from pushpoint.simulation.measures.stops import stops as stops
from pushpoint.simulation.measures.waves import (
    friction_froude_number as friction_froude_number,
    froude_number as froude_number,
    slip_ratio as slip_ratio,
    wave_efficiency as wave_efficiency,
    wave_speed as wave_speed,
)
from pushpoint.simulation.measures.workspace import workspace as workspace
from pushpoint.worlds.variables import BALANCE as BALANCE
