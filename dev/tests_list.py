"""Lists the test programs that cargo test --no-run --message-format=json (standard input) built, one a line:
package, target, executable, directory of the package; separated by tabs."""

import json
import pathlib
import re
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
        directory = pathlib.Path(message["manifest_path"]).parent
        # …/directory#name@version, or …/name#version.
        package = re.split("[/#@]", message["package_id"])[-2]
        print(package, message["target"]["name"], message["executable"], directory, sep="\t")
