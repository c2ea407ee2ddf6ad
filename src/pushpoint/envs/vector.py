"""The vector environment: many worlds of one task, stepped together in one process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode

from pushpoint.control.neural.observing import Asked
from pushpoint.engine.batching import merge, pick
from pushpoint.engine.signals import Measurement
from pushpoint.envs.batch import RENDER_MODES, TaskBatch
from pushpoint.envs.infos import Infos, infos_of, union_of_infos
from pushpoint.envs.judging import Kept, judged
from pushpoint.envs.pictures import Pictures
from pushpoint.envs.snake_task import SnakeTask
from pushpoint.errors import InvalidModel
from pushpoint.model.arrays import Axes, array, truths
from pushpoint.model.checks import one_of, real
from pushpoint.simulation.stepping.simulator import Simulator
from pushpoint.worlds.world import World


class SnakeVectorEnv(TaskBatch[np.ndarray]):
    """Many worlds of one task, stepped together in one process.

        import gymnasium
        import pushpoint.envs

        envs = gymnasium.make_vec("pushpoint/PegField-v0", num_envs=256)
        seen, _ = envs.reset(seed=0)
        seen, reward, terminated, truncated, info = envs.step(envs.action_space.sample())

    The environments differ in their task; see `Slither`, `PegField`, `Sidewind` and `Rubble`, whose fields are further
    keyword arguments.

    World i of a vector with seed s is the single environment with seed s + i, bit for bit. Actions beyond -1 and 1 are
    clipped. A world whose simulation fails terminates, with `info["failed"]`.
    """

    def __init__(
        self,
        task: str | SnakeTask,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        width: int = 640,
        **options: Any,
    ) -> None:
        """Prepares the worlds; no course is made before the first reset.

        Args:
            task: Name of a task, such as "PegField", or a task of your own.
            num_envs: Number of worlds.
            autoreset_mode: What happens to a world whose episode is over: the next step resets it ("NextStep"), the
                same step does ("SameStep", with `info["final_obs"]` and `info["final_info"]`), or you do ("Disabled",
                with `reset(options={"reset_mask": over})`).
            max_episode_steps: Steps after which an episode is truncated; default: never.
            render_mode: "rgb_array": `render` gives one picture per world. None: it gives none.
            width: Width of the pictures [px], 320 to 3840.
            **options: The fields of the task.
        """
        super().__init__(task, num_envs, autoreset_mode, max_episode_steps, options)
        self.render_mode = render_mode if render_mode is None else one_of("env.render_mode", render_mode, RENDER_MODES)
        self._simulator: Simulator | None = None
        self._pictures = Pictures(width)
        self._randoms: list[np.random.Generator] = []
        self._over = np.zeros(self.num_envs, dtype=bool)
        self._kept: Kept | None = None
        self._seen = np.zeros(self.observation_space.shape or (), dtype=np.float32)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, Infos]:
        """Begins new episodes.

        Args:
            seed: World i gets seed + i, or its own one from a list; default: the random numbers go on.
            options: {"reset_mask": truth values} resets these worlds alone.

        Returns:
            The observations of all worlds, and the info of those that were reset.
        """
        chosen, seeds = self._chosen(options), self._seeds(seed)
        super().reset(seed=seeds[0])
        if not self._randoms:
            self._randoms = [seeding.np_random(each)[0] for each in seeds]
        for k in np.flatnonzero(chosen).tolist():
            if seeds[k] is not None:
                self._randoms[k] = seeding.np_random(seeds[k])[0]
        infos = self._begin(chosen)
        self._over &= ~chosen
        return self._seen.copy(), infos

    def draw_from(self, randoms: list[np.random.Generator]) -> None:
        """Takes the random numbers of the next episodes from these generators, one per world."""
        self._randoms = randoms

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """One period of all worlds: observations, rewards, terminated, truncated, info.

        With "NextStep", a world whose episode ended in the last step is reset instead, and its action is ignored.
        """
        (simulator, kept), action = self._going_on(), self._checked(actions)
        fresh = self._over.copy()
        command, acted = self.task.actions.command(action, kept.acted)
        measurement = simulator.step(command, ~fresh)
        failed = np.array([status.failed for status in simulator.statuses])
        kept = kept._replace(acted=acted, steps=kept.steps + 1)
        outcome, reward, kept = judged(self.task, measurement, failed, kept)
        terminated, truncated = outcome.terminated | failed, outcome.truncated | (kept.steps >= self._most_steps)
        reward[fresh], terminated[fresh], truncated[fresh] = 0.0, False, False
        over = terminated | truncated
        self._kept, self._seen = kept, self.task.observing.see(measurement, acted, kept.asked)
        notes = {"reward_terms": outcome.rewards, **outcome.told, "failed": failed}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            infos = union_of_infos(
                infos_of(notes, ~over), infos_of({"final_obs": _each(self._seen), "final_info": notes}, over)
            )
            fresh, self._over = over, np.zeros_like(over)
        else:
            infos, self._over = infos_of(notes, ~fresh), over
        if fresh.any():
            infos = union_of_infos(infos, self._begin(fresh))
        return self._seen.copy(), reward, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """One picture per world, red, green and blue, shape (height, width, 3); None without a render mode."""
        if self.render_mode is None:
            return None
        simulator, _ = self._begun()
        return self._pictures.draw(simulator.worlds, simulator.state)

    def _begin(self, chosen: np.ndarray) -> Infos:
        """New episodes in some worlds; returns the info of these."""
        slots, task = np.flatnonzero(chosen).tolist(), self.task
        episodes = [task.episode(self._randoms[k]) for k in slots]
        measurement = pick(self._put(chosen, [episode.world for episode in episodes]), chosen)
        place, acted = task.place(measurement), task.actions.begin(measurement)
        asked = Asked(*(np.array([getattr(episode, name) for episode in episodes]) for name in Asked._fields))
        new = Kept(asked, acted, place, task.begin(place), np.zeros(len(slots), dtype=int))
        self._kept = new if self._kept is None else merge(self._kept, chosen, new)
        self._seen[chosen] = task.observing.see(measurement, acted, asked)
        infos: Infos = {}
        for k, episode in zip(slots, episodes, strict=True):
            self._add_info(infos, episode.told, k)
        return infos

    def _put(self, chosen: np.ndarray, worlds: Sequence[World]) -> Measurement:
        """Puts worlds into some slots; the first ones make the simulator."""
        if self._simulator is not None:
            return self._simulator.reset(chosen, worlds)
        task = self.task
        simulator = self._simulator = Simulator(
            worlds, rate=task.rate, settings=task.settings, most_obstacles=task.most_obstacles
        )
        return simulator.reset()

    def _begun(self) -> tuple[Simulator, Kept]:
        """The simulator and what is kept; raises InvalidModel before the first reset."""
        if self._kept is None or self._simulator is None:
            raise InvalidModel("env: episode", "none", "begun: call reset first")
        return self._simulator, self._kept

    def _going_on(self) -> tuple[Simulator, Kept]:
        """The same, but it raises InvalidModel after an episode's end, too."""
        begun = self._begun()
        if self.autoreset_mode is AutoresetMode.DISABLED and self._over.any():
            number = int(np.flatnonzero(self._over)[0])
            raise InvalidModel("env: episode", f"over in world {number}", "going on: call reset first")
        return begun

    def _checked(self, actions: Any) -> np.ndarray:
        """Actions as an array within -1 and 1; raises InvalidModel for other shapes, NaN and infinity."""
        shape = Axes(self.num_envs, len(self.task.actions.names))
        return np.clip(array("action", actions, real("-"), shape), -1.0, 1.0)

    def _chosen(self, options: dict[str, Any] | None) -> np.ndarray:
        """Which worlds to reset."""
        mask = self._mask(options)
        if mask is None:
            return np.ones(self.num_envs, dtype=bool)
        chosen = truths("options.reset_mask", mask, self.num_envs)
        if not chosen.any():
            raise InvalidModel("options.reset_mask", "all false", "true for at least one world")
        if self._kept is None and not chosen.all():
            raise InvalidModel("options.reset_mask", "given", "left out in the first reset")
        return chosen


def _each(seen: np.ndarray) -> np.ndarray:
    """Observations as objects, one per world."""
    found = np.empty(len(seen), dtype=object)
    for k, row in enumerate(seen):
        found[k] = row.copy()
    return found
