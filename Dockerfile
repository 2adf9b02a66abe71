# Builds the single executable, then puts nothing but it and the C library into an empty image: no shell, no packages.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY server ./server
COPY web ./web
RUN npm run build:binary
# Names in /etc/hosts count before the resolver, as on any system; the C library on its own would ask the resolver first.
RUN install -D dist/svc /image/usr/local/bin/svc \
  && ldd dist/svc | grep -o '/[^ ]*' | xargs cp --parents --dereference --target-directory=/image \
  && mkdir /image/etc \
  && echo 'svc:x:10001:10001::/data:/usr/sbin/nologin' > /image/etc/passwd \
  && echo 'svc:x:10001:' > /image/etc/group \
  && echo 'hosts: files dns' > /image/etc/nsswitch.conf \
  && install -d -m 0700 /own/data && install -d -m 1777 /own/tmp

FROM scratch
COPY --from=build /image/ /
COPY --from=build --chown=10001:10001 /own/ /
USER 10001:10001
WORKDIR /data
ENV PATH=/usr/local/bin HOME=/data HOST=0.0.0.0 PORT=3000 DATA_DIR=/data \
  BUN_CONFIG_MAX_HTTP_REQUESTS=65535 BUN_JSC_decommitUnusedMarkedBlockPages=0 BUN_JSC_heapGrowthMaxIncrease=0.8
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=6s --start-period=20s CMD ["svc", "health"]
STOPSIGNAL SIGTERM
CMD ["svc"]
