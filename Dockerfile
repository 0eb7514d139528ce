# syntax=docker/dockerfile:1
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY packaging ./packaging
# Without the bundler and Temporal's core for other platforms, node_modules has half the size.
RUN npm run prepack && node packaging/image-modules.mjs /image/node_modules

FROM node:24.21.0-bookworm-slim
# Temporal's client reads the system's certificate authorities.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /image/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY templates ./templates
COPY specs ./specs
COPY docs/openapi.yaml ./docs/openapi.yaml
# The audit log and the mirror of jobs are written below it.
RUN mkdir .journeyman && chown node:node .journeyman
VOLUME /app/.journeyman
USER node
EXPOSE 8080
ENTRYPOINT ["node", "dist/src/cli/main.js"]
CMD ["gateway"]
