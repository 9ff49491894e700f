# `seriatim` is the entry point; its commands are the services.

FROM node:24-bookworm AS build
WORKDIR /app
COPY . .
# The sources stay behind, and so does what better-sqlite3 was compiled from.
RUN npm ci --no-audit --no-fund \
    && npm prune --omit=dev --no-audit --no-fund \
    && rm -rf libs/*/src services/*/src node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
    && find node_modules/better-sqlite3/build -type f ! -name '*.node' -delete \
    && mkdir /data

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/schemas schemas
COPY --from=build /app/libs libs
COPY --from=build /app/services services
COPY --from=build /app/examples examples
COPY --from=build --chown=node:node /data /data
USER node
# Views are kept here. They can be lost: they are folded anew from the verdicts.
WORKDIR /data
VOLUME /data
ENTRYPOINT ["node", "/app/libs/seriatim/bin/seriatim.js"]
CMD ["--help"]
