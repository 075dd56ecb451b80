# syntax=docker/dockerfile:1
FROM golang:1.26 AS build
ARG VERSION=devel
ARG COMMIT=unknown
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN mkdir /programs /reports && \
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION} -X main.commit=${COMMIT}" -o /programs/a2a-conform ./cmd/a2a-conform && \
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /programs/a2a-conform-fleet ./cmd/a2a-conform-fleet

# Certificates of the usual authorities, a user without rights, the programs and
# their licence.
FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION=devel
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="a2a-conform" \
      org.opencontainers.image.description="Judges A2A servers, requirement by requirement of the protocol" \
      org.opencontainers.image.source="https://github.com/a2a-conform/a2a-conform" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /programs/ /usr/local/bin/
COPY LICENSE NOTICE /usr/share/doc/a2a-conform/
COPY --from=build --chown=nonroot:nonroot /reports /reports
USER nonroot
WORKDIR /reports
ENTRYPOINT ["/usr/local/bin/a2a-conform"]
CMD ["--help"]
