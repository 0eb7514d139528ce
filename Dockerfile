# syntax=docker/dockerfile:1
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY packaging ./packaging
# As in a package: what runs of two packages of development goes into dist, so the rest of them can go.
RUN npm run prepack && npm prune --omit=dev

FROM node:20.20.2-bookworm-slim
# Temporal's client reads the system's certificate authorities.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY templates ./templates
COPY specs ./specs
USER node
EXPOSE 8080
ENTRYPOINT ["node", "dist/src/cli/main.js"]
CMD ["gateway"]
