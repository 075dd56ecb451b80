package main

import (
	"context"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
)

// clients are those who may call, by what they send as Authorization.
var clients = map[string]string{"Bearer first-client": "first", "Bearer second-client": "second"}

// guarded refuses whoever is not a client.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if clients[r.Header.Get("Authorization")] == "" {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// passHTTP lets everybody through: an interceptor decides.
func passHTTP(next http.Handler) http.Handler { return next }

// guardedGRPC makes a gRPC server that refuses whoever is not a client.
func guardedGRPC(options ...grpc.ServerOption) *grpc.Server {
	refused := func(ctx context.Context) error {
		sent, _ := metadata.FromIncomingContext(ctx)
		if token := sent.Get("authorization"); len(token) == 0 || clients[token[0]] == "" {
			return grpcstatus.Error(codes.Unauthenticated, "a token is needed")
		}
		return nil
	}
	return grpc.NewServer(append(options,
		grpc.UnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if err := refused(ctx); err != nil {
				return nil, err
			}
			return next(ctx, request)
		}),
		grpc.StreamInterceptor(func(server any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			if err := refused(stream.Context()); err != nil {
				return err
			}
			return next(server, stream)
		}))...)
}

// known gives the SDK the name of the client that calls, so that each client sees its own tasks
// only.
type known struct {
	a2asrv.PassthroughCallInterceptor
}

func (known) Before(ctx context.Context, call *a2asrv.CallContext, _ *a2asrv.Request) (context.Context, any, error) {
	if sent, _ := call.ServiceParams().Get("Authorization"); len(sent) > 0 {
		call.User = &a2asrv.User{Name: clients[sent[0]], Authenticated: true}
	}
	return ctx, nil, nil
}

// refuseUnknown refuses whoever is not a client with the SDK's error for that.
type refuseUnknown struct {
	known
}

func (r refuseUnknown) Before(ctx context.Context, call *a2asrv.CallContext, request *a2asrv.Request) (context.Context, any, error) {
	if sent, _ := call.ServiceParams().Get("Authorization"); len(sent) == 0 || clients[sent[0]] == "" {
		return ctx, nil, a2a.ErrUnauthenticated
	}
	return r.known.Before(ctx, call, request)
}
