"""Containers of an image as compose.yaml describes them, run by buildah instead of a Docker engine."""
import json
import os
import re
import shlex
import signal
import subprocess
import time

from ruamel.yaml import YAML

# How long a state may take.
LIMIT = 120
# Of all services, on loopback: by 127.0.0.1 the server asks for no password.
ADDRESS = "192.0.2.1"
# Where input and output of commands are in a container: buildah 1.28 with its isolation chroot sometimes loses what comes through pipes.
OUTPUT = "/mnt/output"


def load_yaml(path):
    with open(path, encoding="utf-8") as file:
        return YAML(typ="safe").load(file)


def interpolated(text, environment):
    """${NAME:-default} and ${NAME} as Compose replaces them."""
    return re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", lambda match: environment.get(match[1]) or match[2] or "", text)


def wait_until(condition, what):
    """Waits for a state, and for at most LIMIT seconds."""
    end = time.monotonic() + LIMIT
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {LIMIT} s: {what}")
        time.sleep(0.05)
    return value


class Buildah:
    def __init__(self, command):
        self.command = shlex.split(command)

    def __call__(self, *arguments, check=True, input=None):
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True, input=input)
        if check and done.returncode:
            raise AssertionError(f"buildah {shlex.join(arguments)}: {done.returncode}: {done.stdout}{done.stderr}")
        return done if not check else done.stdout.strip()


class Compose:
    """compose.yaml, with volumes that are directories below HOME."""

    def __init__(self, buildah, path, image, home, environment=None):
        self.buildah, self.image, self.home = buildah, image, home
        self.environment = environment or {}
        self.services = load_yaml(path)["services"]
        described = json.loads(buildah("inspect", "--type", "image", image))
        self.config = described["Docker"]["config"]

    def container(self, service, image=None):
        return Container(self, self.services[service], image or self.image)

    def volume(self, name, image_path, container):
        """The directory of a volume. A new one is as the image has that directory, as Docker does it."""
        path = os.path.join(self.home, name)
        if not os.path.exists(path):
            os.mkdir(path)
            try:
                stat = os.stat(container.mounted(image_path))
                os.chown(path, stat.st_uid, stat.st_gid)
                os.chmod(path, stat.st_mode & 0o7777)
            except FileNotFoundError:
                os.chmod(path, 0o755)
        return path


class Container:
    def __init__(self, compose, service, image):
        self.compose, self.service, self.buildah = compose, service, compose.buildah
        hosts = [f"--add-host={name}:{ADDRESS}" for name in compose.services]
        self.name = self.buildah("from", "--pull-never", *hosts, image)
        # buildah 1.28 mounts a volume that the image declares sometimes above, sometimes below one that is given for the same path.
        for path in compose.config.get("Volumes") or {}:
            self.buildah("config", "--volume", f"{path}-", self.name)
        self.process = None
        self.files = os.path.join(compose.home, self.name)
        os.mkdir(self.files)
        os.chmod(self.files, 0o1777)
        self.options = ["--volume", f"{self.files}:{OUTPUT}"]
        for volume in service.get("volumes", []):
            source, target, *mode = interpolated(volume, compose.environment).split(":")
            self.options += ["--volume", ":".join([compose.volume(source, target, self), target, *mode])]
        for name, value in service.get("environment", {}).items():
            self.options += ["--env", f"{name}={value}"]
        self.user = ["--user", service["user"]] if "user" in service else []
        config = compose.config
        entrypoint = service.get("entrypoint")
        self.main = (config["Entrypoint"] if entrypoint is None else entrypoint) + service.get(
            "command", config["Cmd"] if entrypoint is None else []
        )
        health = service.get("healthcheck", {})
        self.health = health.get("test") or (config["Healthcheck"]["Test"] if not health.get("disable") else None)

    def mounted(self, path):
        """Where a path of its image is on this machine."""
        return self.buildah("mount", self.name) + path

    def _run(self, command, output, input, user=None):
        user = ["--user", user] if user else self.user
        redirected = f'exec "$@" <{input} >>{OUTPUT}/{output} 2>&1'
        return [*self.buildah.command, "run", *self.options, *user, self.name, "--", "sh", "-c", redirected, "sh", *command]

    def start(self):
        """Runs what the container is for, with its output in a file."""
        self.process = subprocess.Popen(
            self._run(self.main, "main", "/dev/null"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        return self

    def run_to_end(self):
        self.start()
        assert self.process.wait(LIMIT) == 0, self.output()
        return self.output()

    def output(self, name="main"):
        try:
            with open(os.path.join(self.files, name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def execute(self, *command, user=None, input=""):
        """Runs a further command in it, as `docker compose exec` does. Returns status and output."""
        number = len(os.listdir(self.files))
        with open(os.path.join(self.files, f"{number}.input"), "w", encoding="utf-8") as file:
            file.write(input)
        done = subprocess.run(
            self._run(command, f"{number}.output", f"{OUTPUT}/{number}.input", user), stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert os.path.exists(os.path.join(self.files, f"{number}.output")), f"buildah: {done.stderr}"
        return done.returncode, self.output(f"{number}.output").strip()

    def is_healthy(self):
        assert self.health and self.health[0] == "CMD", self.health
        return self.execute(*self.health[1:])[0] == 0

    def wait_healthy(self):
        def state():
            assert self.process.poll() is None, f"{self.main} ended: {self.output()[-3000:]}"
            return self.is_healthy()

        wait_until(state, f"{self.main} is healthy: {self.output()[-2000:]}")
        return self

    def _main_process(self):
        """The first process below buildah that is not buildah itself."""
        process = self.process.pid
        while "buildah" in os.path.basename(os.readlink(f"/proc/{process}/exe")):
            children = []
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/children", encoding="utf-8") as file:
                    children += file.read().split()
            assert children, f"no process below {process}"
            process = int(children[0])
        return process

    def stop(self):
        """Stops it as `docker compose stop` does, and waits for its end."""
        stop = signal.Signals[self.compose.config.get("StopSignal") or "SIGTERM"]
        os.kill(self._main_process(), stop)
        self.process.wait(LIMIT)
        return self.output()

    def remove(self):
        if self.process and self.process.poll() is None:
            self.stop()
        self.buildah("rm", self.name)
