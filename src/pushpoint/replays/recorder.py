"""viser's scene without its web server: the messages are recorded and sent to nobody."""

from __future__ import annotations

import threading
from typing import Any

import viser
from viser import infra
from viser._gui_api import GuiApi
from viser._messages import Message
from viser._scene_api import SceneApi
from viser._viser import InitialCameraConfig
from viser.infra._async_message_buffer import AsyncMessageBuffer


class Recorder(viser.ViserServer):
    """Has what a server has for building a scene and recording it; opens no socket and starts no thread."""

    # Made without ViserServer.__init__, which would start the server.
    def __init__(self) -> None:
        nobody: Any = Nobody()
        unheard = infra.WebsockServer(host="", port=0, message_class=Message, verbose=False)
        unheard._broadcast_buffer = AsyncMessageBuffer(nobody, persistent_messages=True)
        self._websock_server = unheard
        self._initial_camera = InitialCameraConfig(broadcast=unheard.queue_message)
        self._scene_lifecycle_lock = threading.RLock()
        self.scene = SceneApi(self, thread_executor=nobody, event_loop=nobody)
        self.scene.reset()
        self.gui = GuiApi(self, thread_executor=nobody, event_loop=nobody)
        self.gui.configure_theme(show_share_button=False)


class Nobody:
    """Takes the place of the loop that would send the messages."""

    def call_soon_threadsafe(self, *_what: Any) -> None:
        """Does nothing: nobody waits for messages."""
