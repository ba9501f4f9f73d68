# The image of Andiron: the folder of deploy/production-tree.sh on Node.js. docs/run/deploy.md has the commands.
# Every command of `andiron` works in it: docker run … andiron node dist/src/cli.js migrate

# By digest, because a tag can be moved; the tag is for readers. Both stages have the same.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
# An engine does not compare tag and digest.
RUN test "$(node --version)" = v24.21.0
WORKDIR /build
COPY package.json package-lock.json ./
COPY console/package.json console/
# A layer of its own: it is built again only when the packages change.
RUN npm ci --no-audit --no-fund
COPY . .
# The files belong to root, and the server may only read them, whatever the umask of the builder was.
RUN deploy/production-tree.sh /opt/andiron && chmod -R a+rX,go-w /opt/andiron

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
LABEL org.opencontainers.image.title="Andiron" \
      org.opencontainers.image.description="A multi-tenant FHIR R4 and R4B server" \
      org.opencontainers.image.licenses="Apache-2.0"
# Nobody outside of the container reaches its loopback. Since HOST is not loopback, AUTH_MODE is enforced and AUDIT is on by default.
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /opt/andiron
COPY --from=build /opt/andiron ./
# The user `node` of the base image, by number: Kubernetes can verify only a number with runAsNonRoot.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# Liveness and not readiness: Swarm replaces unhealthy containers, which would not help while PostgreSQL is away.
# The server listens when the database is migrated; a start waits MIGRATION_WAIT_MS (10 minutes) for another one that migrates.
HEALTHCHECK --interval=10s --timeout=5s --retries=3 --start-period=11m \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js"]
