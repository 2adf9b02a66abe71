# Builds the single executable, then puts nothing but it into the image.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY scripts ./scripts
RUN npm ci --omit=dev --no-audit --no-fund
COPY server ./server
COPY web ./web
COPY tsconfig.json ./
RUN npm run build:binary

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin svc \
  && install -d -o svc -g svc -m 0700 /data
COPY --from=build /src/dist/svc /usr/local/bin/svc
USER svc
WORKDIR /data
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data BUN_CONFIG_MAX_HTTP_REQUESTS=65535
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s CMD ["svc", "health"]
STOPSIGNAL SIGTERM
CMD ["svc"]
