# Functions that bring up a real Slurm of Debian's packages on this machine alone, without systemd, and end it again: munge,
# MariaDB, slurmdbd, slurmctld and two slurmd, each with files in $root and ports of its own. To be sourced by a script that
# has set $root; nothing of /etc/slurm is used, and `stop` leaves nothing behind.
#
# Usage is right in sshare only with `limits` in AccountingStorageEnforce: without it slurmctld does not tell the priority
# plugin that a job ends, and what runs between two moments of PriorityCalcPeriod is never counted.
export SLURM_CONF=$root/slurm.conf
users="amy ben cat dan eve fay" daemons=() host=$(hostname -s)
packages="slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin munge mariadb-server"

patiently() { for _ in {1..200}; do "$@" >/dev/null 2>&1 && return; sleep 1; done; echo "gave up on: $*" && return 1; }

packages() { # installs what is missing; Debian would start services of its own
  ! dpkg-query --show $packages >/dev/null 2>&1 || return 0
  [ -e /usr/sbin/policy-rc.d ] || {
    touch "$root/policy" && printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d
  }
  DEBIAN_FRONTEND=noninteractive timeout 600 apt-get -qq -o DPkg::Lock::Timeout=120 install --yes --no-install-recommends \
    $packages >"$root/log" 2>&1
}

start() {
  begun=$(date +%FT%H:00:00)
  chmod 755 "$root" && mkdir "$root"/{munge,mysql,state,n1,n2,work} && chmod 777 "$root/work" && touch "$root"/gpu{0..3}
  for user in $users; do useradd --no-create-home --no-user-group "consortium-$user"; done
  head -c 1024 /dev/urandom >"$root/munge/key" && chown -R munge "$root/munge" && chmod 400 "$root/munge/key"
  daemons+=("$root/munge/pid")
  setpriv --reuid=munge --regid=munge --clear-groups munged --socket="$root/munge/socket" --key-file="$root/munge/key" \
    --log-file="$root/munge/log" --pid-file="$root/munge/pid" --seed-file="$root/munge/seed"
  chown mysql "$root/mysql"
  mariadb-install-db --no-defaults --user=mysql --datadir="$root/mysql" --skip-test-db >/dev/null 2>&1
  daemons+=("$root/mysql/pid")
  mariadbd --no-defaults --user=mysql --datadir="$root/mysql" --socket="$root/mysql/socket" --port=33306 \
    --bind-address=127.0.0.1 --pid-file="$root/mysql/pid" >"$root/mysql/log" 2>&1 &
  patiently mariadb-admin --no-defaults --socket="$root/mysql/socket" ping
  mariadb --no-defaults --socket="$root/mysql/socket" -e "create database slurm_acct_db;
    create user 'slurm'@'127.0.0.1' identified by 'slurm'; grant all on slurm_acct_db.* to 'slurm'@'127.0.0.1';
    create user 'slurm'@'localhost' identified by 'slurm'; grant all on slurm_acct_db.* to 'slurm'@'localhost'"
  configuration
  daemons+=("$root/slurmdbd.pid") && slurmdbd && patiently sacctmgr -n list cluster
  sacctmgr -i add cluster toy >/dev/null
  for line in physics:root:60 life:root:40 atlas:physics:40 cms:physics:20 bio:life:30 chem:life:10; do
    IFS=: read -r account parent share <<<"$line"
    sacctmgr -i add account "$account" parent="$parent" Cluster=toy Fairshare="$share" Description=x Organization=lab >/dev/null
  done
  for pair in amy:atlas ben:atlas amy:cms cat:cms dan:bio eve:bio fay:chem; do
    sacctmgr -i add user "consortium-${pair%:*}" account="${pair#*:}" Cluster=toy Fairshare=1 >/dev/null
  done
  daemons+=("$root/slurmctld.pid") && slurmctld && patiently scontrol ping
  for node in n1 n2; do daemons+=("$root/slurmd-$node.pid") && slurmd -N $node; done
  patiently sh -c "sinfo -h -N -o %t | grep -c idle | grep -qx 2"
}

stop() { # ends what was started, the last first: jobs that run have a process of their own
  timeout 20 sh -c 'squeue -h -o %A | xargs -r scancel; while squeue -h | grep -q .; do sleep 1; done' >/dev/null 2>&1 || true
  for ((i = ${#daemons[@]} - 1; i >= 0; i--)); do
    pid=$(cat "${daemons[i]}" 2>/dev/null) || continue
    kill "$pid" 2>/dev/null || continue
    for _ in {1..60}; do kill -0 "$pid" 2>/dev/null && sleep 0.5 || break; done
    kill -9 "$pid" 2>/dev/null || true
  done
  for user in $users; do userdel "consortium-$user" 2>/dev/null || true; done
  [ ! -e "$root/policy" ] || rm -f /usr/sbin/policy-rc.d
  rm -rf "$root"
}

dump() { # NAME: what an operator asks Slurm for, at one moment, into $root/dumps/NAME
  local to=$root/dumps/$1
  mkdir -p "$to"
  date +%FT%T >"$to/when"
  sshare -alP >"$to/sshare.psv"
  sleep 3  # until the data base has heard of all that sshare knows
  date +%FT%T >>"$to/when"
  eval "$(grep -om1 '^sacct -a .*' docs/howto/import-a-log.md | sed -E "s/-S [^ ]+/-S $begun/; s/ > .*//")" >"$to/jobs.psv"
  sacct -a -D -X -P -S "$begun" -o ALL >"$to/all.psv"
  sacctmgr -P show associations >"$to/associations.psv"
  sacctmgr show assoc tree >"$to/tree.txt"
  scontrol show config >"$to/config.txt"
  scontrol show partition >"$to/partitions.txt"
  scontrol show node >"$to/nodes.txt"
}

report() { # NAME: sreport, which knows full hours only, and this one too then; a job that runs counts to the hour's end
  local next
  next=$(date -d '+1 hour' +%FT%H:00:00)
  sacctmgr -i roll "$begun" "$next" >/dev/null 2>&1
  sreport -P -t seconds cluster AccountUtilizationByUser start="$begun" end="$next" >"$root/dumps/$1/sreport.psv"
}

configuration() {
  cat >"$root/slurmdbd.conf" <<END
AuthType=auth/munge
AuthInfo=socket=$root/munge/socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=17030
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=33306
StorageUser=slurm
StoragePass=slurm
LogFile=$root/slurmdbd.log
PidFile=$root/slurmdbd.pid
END
  chmod 600 "$root/slurmdbd.conf"
  echo "NodeName=n2 Name=gpu Type=toy File=$root/gpu[0-3]" >"$root/gres.conf"
  cat >"$root/slurm.conf" <<END
ClusterName=toy
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17017
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$root/munge/socket
StateSaveLocation=$root/state
SlurmdSpoolDir=$root/%n
SlurmctldPidFile=$root/slurmctld.pid
SlurmdPidFile=$root/slurmd-%n.pid
SlurmctldLogFile=$root/slurmctld.log
SlurmdLogFile=$root/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
SwitchType=switch/none
MpiDefault=none
KillWait=2
SchedulerParameters=batch_sched_delay=1,sched_min_interval=200000,bf_interval=10,default_queue_depth=500
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=17030
AccountingStoragePass=$root/munge/socket
AccountingStorageEnforce=associations,limits
AccountingStorageTRES=gres/gpu
AccountingStoreFlags=job_comment
PriorityType=priority/multifactor
PriorityDecayHalfLife=00:02:00
PriorityCalcPeriod=00:00:01
PriorityWeightFairshare=100000
PriorityWeightAge=10
PriorityMaxAge=1-0
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=4 RealMemory=16000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=4 RealMemory=16000 Gres=gpu:toy:4 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=10 DefaultTime=2 DefMemPerCPU=512 State=UP TRESBillingWeights="CPU=1.0,Mem=0.5G,GRES/gpu=4.0"
END
}
