#!/usr/bin/env bash
# Makes the folder that a machine or an image needs to run Andiron, beside Node.js: the compiled program, the definitions of FHIR
# and the production packages. The PostgreSQL and the examples of the quick start, sources and tests are left out.
#   deploy/production-tree.sh FOLDER
set -euo pipefail
tree=$(realpath -m "${1:?deploy/production-tree.sh FOLDER}")
cd "$(dirname "$0")/.."

[ -d node_modules ] || npm ci --no-audit --no-fund
npm run --silent build

mkdir -p "$tree/schema"
cp package.json package-lock.json LICENSE "$tree"
cp -r dist definitions "$tree"
find "$tree/dist" -name '*.map' -delete
# The server reads files for browsers from their compressed form, and those whose names begin with a dot as they are.
find "$tree/dist" -name '*.gz' ! -name '.*' | sed 's/\.gz$//' | xargs -d '\n' rm -f
cp schema/*.graphql schema/*.json "$tree/schema"
cd "$tree"
npm ci --omit=dev --omit=optional --no-audit --no-fund
# The program loads the CommonJS form of these packages. Types and source maps are for development.
find node_modules/@opentelemetry -type d \( -name esm -o -name esnext \) -prune -exec rm -r {} +
find node_modules -name '*.map' -delete
du -sm .
