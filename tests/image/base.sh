#!/bin/sh
# Makes Debian's tree to what PostgreSQL's image has: users, directories, programs and settings by its Dockerfile, with PostgreSQL from
# Debian. dev/test-image runs it in a container.
set -eux
export DEBIAN_FRONTEND=noninteractive
update-ca-certificates
# Package lists of a snapshot of Debian may be past the date until which they are valid.
echo 'Acquire::Check-Valid-Until "false";' >/etc/apt/apt.conf.d/90snapshot
groupadd --system --gid 999 postgres
useradd --system --gid postgres --uid 999 --home-dir /var/lib/postgresql --shell /bin/bash postgres
install --directory --owner postgres --group postgres --mode 1777 /var/lib/postgresql
mkdir /docker-entrypoint-initdb.d
apt-get update
apt-get install --yes --no-install-recommends gosu less libnss-wrapper locales postgresql-common xz-utils zstd
echo 'en_US.UTF-8 UTF-8' >>/etc/locale.gen
locale-gen
sed -ri 's/#(create_main_cluster) .*$/\1 = false/' /etc/postgresql-common/createcluster.conf
apt-get install --yes --no-install-recommends "postgresql-$1"
rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb
share=/usr/share/postgresql
dpkg-divert --add --rename --divert $share/postgresql.conf.sample.dpkg "$share/$1/postgresql.conf.sample"
sed -r "s!^#?(listen_addresses)\s*=\s*\S+.*!\1 = '*'!" $share/postgresql.conf.sample.dpkg >$share/postgresql.conf.sample
ln -s ../postgresql.conf.sample "$share/$1/"
grep -F "listen_addresses = '*'" $share/postgresql.conf.sample
install --directory --owner postgres --group postgres --mode 3777 /var/run/postgresql
