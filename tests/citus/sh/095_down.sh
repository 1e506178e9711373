# shellcheck shell=bash
# A node that does not answer: what needs it fails with its address, the rest goes on, the lists say what they lack. Without the
# coordinator the workers go on.
quiet() { on "$1" -v VERBOSITY=sqlstate -c 'SET client_min_messages = warning' -c "$2"; }
quiet citus_coordinator "SELECT kb_create('here', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
quiet citus_worker_1 "SELECT kb_create('far', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
quiet citus_worker_2 "SELECT kb_create('away', model => 'fake/test', dimensions => 8) IS NOT NULL AS created"
quiet citus_coordinator "SELECT kb_cluster_setup()"
for base in here far away; do quiet citus_coordinator "SELECT kb_add('$base', 'Tea is hot.') IS NOT NULL AS added"; done
quiet citus_coordinator "SELECT name, node IS NOT NULL FROM kb_list() ORDER BY name"

echo "-- worker 1 is killed"
kill_node citus_worker_1
quiet citus_coordinator "SELECT state, position('$WORKER_1:5432' IN message) > 0 AS has_address FROM error_of(\$\$SELECT kb_search('tea', 'far')\$\$)"
quiet citus_coordinator "SELECT state, position('$WORKER_1:5432' IN message) > 0 AS has_address FROM error_of(\$\$SELECT kb_add('far', 'More tea.')\$\$)"
quiet citus_coordinator "SELECT content FROM kb_search('tea', 'away', 'keyword')"
quiet citus_coordinator "SELECT content FROM kb_search('tea', 'here', 'keyword')"
quiet citus_coordinator "SELECT kb_add('away', 'More tea.') IS NOT NULL AS added"
quiet citus_worker_2 "SELECT content FROM kb_search('tea', 'here', 'keyword')"
quiet citus_coordinator "SELECT name FROM kb_list() ORDER BY name"
quiet citus_coordinator "SELECT knowledge_base FROM kb_rag.status ORDER BY 1"
quiet citus_coordinator "SELECT reachable, bases, error <> '' AS says_why FROM kb_rag.cluster"
echo "-- what is to happen on all nodes does not happen on some"
quiet citus_coordinator "SELECT kb_create('new', model => 'fake/test', dimensions => 8)" 2>&1 | grep -c ERROR
quiet citus_coordinator "SELECT kb_drop('here')" 2>&1 | grep -c ERROR
quiet citus_coordinator "SELECT state FROM error_of(\$\$SELECT kb_agent_drop(kb_agent('any'))\$\$)"
quiet citus_coordinator "SELECT name FROM kb_rag.placement ORDER BY name"
start_node citus_worker_1 >/dev/null 2>&1
wait_until citus_coordinator "SELECT count(*) = 1 FROM kb_search('tea', 'far', 'keyword')"
quiet citus_coordinator "SELECT name FROM kb_list() ORDER BY name"
quiet citus_coordinator "SELECT kb_add('far', 'Tea again.') IS NOT NULL AS added"

echo "-- the coordinator is killed"
kill_node citus_coordinator
quiet citus_worker_1 "SELECT content FROM kb_search('hot', 'far', 'keyword')"
quiet citus_worker_1 "SELECT content FROM kb_search('hot', 'away', 'keyword')"
quiet citus_worker_1 "SELECT kb_add('away', 'Juice.') IS NOT NULL AS added"
quiet citus_worker_2 "SELECT content FROM kb_search('juice', 'away', 'keyword')"
quiet citus_worker_2 "SELECT state, position('$COORDINATOR:5432' IN message) > 0 AS has_address FROM error_of(\$\$SELECT kb_search('tea', 'here')\$\$)"
start_node citus_coordinator >/dev/null 2>&1
wait_until citus_worker_2 "SELECT count(*) = 1 FROM kb_search('hot', 'here', 'keyword')"
quiet citus_coordinator "SELECT content FROM kb_search('juice', 'away', 'keyword')"
quiet citus_coordinator "SELECT kb_drop(name) FROM kb_list()"
quiet citus_coordinator "DROP TABLE kb_rag.handle, kb_rag.placement"
