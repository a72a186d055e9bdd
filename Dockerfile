# One image for every program of Holdfast: the API (the default), the worker, the sandbox gateway and `ops`.
FROM node:24-bookworm-slim AS build
WORKDIR /holdfast
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY apps apps
COPY libs libs
COPY test test
COPY scripts/compile.mjs scripts/bundle.mjs scripts/bundle-console.mjs scripts/commit.mjs scripts/
# The image has no .git: docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD) names the commit in logs and health.
ARG COMMIT
# The image has Node 24; the copies in the packages are for machines with another version. npm keeps the
# compiler, which a package may use and ours do not.
RUN node scripts/compile.mjs \
  && node scripts/bundle.mjs \
  && node scripts/bundle-console.mjs \
  && node scripts/commit.mjs \
  && npm prune --ignore-scripts --omit=dev \
  && rm -rf dist/test node_modules/node-linux-* node_modules/node-bin-* node_modules/typescript node_modules/.bin/tsc

FROM node:24-bookworm-slim
# It listens at every address, so the API needs PUBLIC_URL, its public URL. The file of erasures is on a volume of its own, so that no
# copy of the data brings erased persons back.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data ERASURES_FILE=/erasures/holdfast.erasures
WORKDIR /holdfast
COPY --from=build /holdfast/package.json ./
COPY --from=build /holdfast/node_modules node_modules
COPY --from=build /holdfast/dist dist
RUN mkdir /data /erasures && chown node:node /data /erasures
USER node
VOLUME /data /erasures
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-warning=ExperimentalWarning", "dist/apps/api/main.js"]
