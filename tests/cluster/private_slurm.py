#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A Slurm cluster of four nodes on this machine, for tests. Everything it has is in one folder:
key, configuration, state, logs. Its daemons are children of this process, listen on the loopback
address only, and end with it; nothing of the system's own Slurm is read or touched.

usage: private_slurm.py FOLDER [-- COMMAND...]     runs the command with the cluster, or a shell
"""
import argparse, ctypes, os, pathlib, pwd, shutil, signal, socket, subprocess, sys, tempfile, time

NODES = 4
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "squeue")
SBIN = "/usr/sbin:/sbin"  # where the daemons are, which is not on every user's path
PATIENCE = 60  # seconds for what takes a second; the machine may be busy

CONFIGURATION = """\
ClusterName=private
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=5
KillWait=1
MaxArraySize=201
MpiDefault=none
MailProg=/bin/true
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class CannotStart(Exception):
    """Why there is no Slurm here, in a sentence."""


def wait_until(condition, what, patience=PATIENCE):
    """Until `condition` is true; its value. Raises TimeoutError that says what was waited for."""
    end = time.monotonic() + patience
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {patience} s in vain for {what}")
        time.sleep(0.05)
    return value


def die_with_parent():
    """In a child: the kernel ends it when its parent is gone, however that happens."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def free_ports(count):
    """Ports of the loopback address that nobody uses now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


class PrivateSlurm:
    """with PrivateSlurm(folder) as slurm: subprocess.run(["sbatch", …], env=slurm.environment)"""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.path = f"{os.environ.get('PATH', '')}:{SBIN}"
        self.configuration = self.folder / "slurm.conf"
        self.environment = {**{key: value for key, value in os.environ.items()
                               if not key.startswith(("SLURM", "SBATCH"))},
                            "SLURM_CONF": str(self.configuration), "PATH": self.path}
        self.nodes = [f"n{i + 1}" for i in range(NODES)]
        self.daemons = {}

    def __enter__(self):
        """Raises CannotStart."""
        if self.daemons:
            return self
        if missing := [name for name in PROGRAMS if not shutil.which(name, path=self.path)]:
            raise CannotStart(f"Slurm is not installed here (no {', '.join(missing)}); "
                              "tools/setup.sh cluster installs it")
        try:
            self.start()
        except (OSError, TimeoutError, subprocess.SubprocessError) as e:
            self.stop()
            raise CannotStart(f"Slurm does not start here: {e}{self.last_words()}") from e
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)  # clients of munge must reach its socket
        (self.folder / "state").mkdir(exist_ok=True)
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        host, ports = socket.gethostname().split(".")[0], free_ports(1 + NODES)
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
                          "CPUs=2 RealMemory=2000"
                          for name, port in zip(self.nodes, ports[1:]))
        self.configuration.write_text(CONFIGURATION.format(
            host=host, ports=ports, user=pwd.getpwuid(os.getuid()).pw_name, folder=self.folder,
            nodes=nodes))
        at = self.folder
        self.spawn("munged", "munged", "--foreground", "--force", f"--key-file={key}",
                   f"--socket={at}/munge.sock", f"--pid-file={at}/munged.pid",
                   f"--seed-file={at}/munge.seed", f"--log-file={at}/munged.log")
        wait_until((at / "munge.sock").exists, "munge's socket", 10)
        self.spawn("slurmctld", "slurmctld", "-D", "-f", self.configuration)
        for name in self.nodes:
            self.start_node(name)
        wait_until(lambda: len(self.idle_nodes()) == NODES, "four idle nodes", 30)

    def spawn(self, name, *command):
        with open(self.folder / f"{name}.out", "w") as output:
            self.daemons[name] = subprocess.Popen(
                [str(word) for word in command], env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, preexec_fn=die_with_parent,
                start_new_session=True)

    def start_node(self, name):
        (self.folder / f"spool-{name}").mkdir(exist_ok=True)
        self.spawn(name, "slurmd", "-D", "-f", self.configuration, "-N", name)

    def ask(self, *command, check=True):
        """What one of Slurm's programs prints."""
        done = subprocess.run([str(word) for word in command], env=self.environment, text=True,
                              capture_output=True, timeout=PATIENCE)
        if check and done.returncode:
            raise OSError(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
        return done.stdout

    def idle_nodes(self):
        return self.ask("sinfo", "-h", "-N", "-t", "idle", "-o", "%N", check=False).split()

    def tasks(self):
        """Array tasks and jobs in the queue: {'12_3': ('RUNNING', 'n1')}."""
        rows = self.ask("squeue", "-h", "-r", "-o", "%i|%T|%N").splitlines()
        return {name: (state, node) for name, state, node in (row.split("|") for row in rows)}

    def processes(self, node=None):
        """Numbers of the processes that run in jobs of this cluster, on one node or on all."""
        wanted = {f"SLURM_CONF={self.configuration}".encode()}
        wanted |= {f"SLURMD_NODENAME={node}".encode()} if node else set()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    words = set((entry / "environ").read_bytes().split(b"\0"))
                except OSError:
                    continue  # gone, or not ours
                job = any(word.startswith(b"SLURM_JOB_ID=") for word in words)
                if wanted <= words and job:
                    found.append(int(entry.name))
        return found

    def kill_node(self, node):
        """As if its power went: the daemon, the shepherds of its jobs, and the jobs."""
        self.daemons[node].kill()
        self.daemons.pop(node).wait()
        jobs = self.processes(node)
        for process in {shepherd for job in jobs if (shepherd := shepherd_of(job))} | set(jobs):
            kill(process)
        wait_until(lambda: not self.processes(node), f"the processes of {node} to end")

    def stop(self):
        if "slurmctld" in self.daemons and self.daemons["slurmctld"].poll() is None:
            self.ask("scancel", f"--user={os.getuid()}", check=False)
        shepherds = {shepherd_of(job) for job in self.processes()} - {None}
        for process in [*shepherds, *self.processes()]:
            kill(process)
        for name in reversed(list(self.daemons)):
            self.daemons[name].kill()
            self.daemons.pop(name).wait()

    def last_words(self):
        """The end of what the daemons wrote."""
        out = []
        for name in ("munged", "slurmctld", "slurmd-n1"):
            for place in (self.folder / f"{name}.log", self.folder / f"{name}.out"):
                if place.exists() and (text := place.read_text(errors="replace").strip()):
                    out.append(f"\n{place.name}: {text.splitlines()[-1]}")
        return "".join(out)


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def shepherd_of(process):
    """Slurm's process that started a job and reports its end: the parent, or its parent."""
    while process > 1:
        try:
            status = pathlib.Path(f"/proc/{process}/status").read_text()
            name = pathlib.Path(f"/proc/{process}/comm").read_text().strip()
        except OSError:
            return None
        if name.startswith("slurmstepd"):
            return process
        process = int(status.split("PPid:")[1].split()[0])
    return None


def main():
    parser = argparse.ArgumentParser(description="A private Slurm cluster for tests.")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("command", nargs="*", default=[os.environ.get("SHELL", "/bin/sh")])
    chosen = parser.parse_args()
    folder = chosen.folder or tempfile.mkdtemp(prefix="slurm-")
    try:
        with PrivateSlurm(folder) as slurm:
            print(f"export SLURM_CONF={slurm.configuration}", file=sys.stderr)
            return subprocess.run(chosen.command, env=slurm.environment).returncode
    except CannotStart as e:
        sys.exit(f"private_slurm.py: {e}")


if __name__ == "__main__":
    sys.exit(main())
