// FerretDB on SQLite: what the suite takes for MongoDB on a machine that has Go and no mongod.
//
// Usage: ferretdb <folder>. Prints its address on one line, and ends with its input, so that it never outlives who started it.
//
// FerretDB reads a document and writes it back without a lock, so two updates can both find what one of them has changed.
// MongoDB's are atomic, and the adapter rests on that: commands that write are let through one at a time.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"sync"

	"github.com/FerretDB/FerretDB/ferretdb"
)

var writing sync.Mutex

func main() {
	server, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{TCP: "127.0.0.1:0"},
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil)),
		Handler:  "sqlite",
		// Tests end the processes that write, never this one: nothing has to be synced.
		SQLiteURL: "file:" + os.Args[1] + "/?_pragma=synchronous(off)",
	})
	if err != nil {
		fail(err)
	}
	go func() { _ = server.Run(context.Background()) }()
	behind, err := url.Parse(server.MongoDBURI())
	if err != nil {
		fail(err)
	}
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	fmt.Println(front.Addr())
	go func() {
		for {
			client, err := front.Accept()
			if err != nil {
				fail(err)
			}
			go serve(client, behind.Host)
		}
	}()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// serve passes on one connection: a request, then its answer.
func serve(client net.Conn, address string) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	for {
		request, err := message(client)
		if err != nil {
			return
		}
		answer, err := exchange(server, request)
		if err != nil {
			return
		}
		if _, err = client.Write(answer); err != nil {
			return
		}
	}
}

func exchange(server net.Conn, request []byte) ([]byte, error) {
	if writes(request) {
		writing.Lock()
		defer writing.Unlock()
	}
	if _, err := server.Write(request); err != nil {
		return nil, err
	}
	return message(server)
}

// message reads one message of the wire protocol, which begins with its length.
func message(from io.Reader) ([]byte, error) {
	length := make([]byte, 4)
	if _, err := io.ReadFull(from, length); err != nil {
		return nil, err
	}
	whole := make([]byte, binary.LittleEndian.Uint32(length))
	copy(whole, length)
	_, err := io.ReadFull(from, whole[4:])
	return whole, err
}

// writes tells whether the message is a command that changes documents: the name of a command is its first element's,
// behind a header of 16 bytes, flags, a section's kind, a document's length and an element's type.
func writes(request []byte) bool {
	const name = 16 + 4 + 1 + 4 + 1
	if len(request) < name {
		return false
	}
	command, _, _ := bytes.Cut(request[name:], []byte{0})
	switch string(command) {
	case "insert", "update", "delete", "findAndModify":
		return true
	}
	return false
}
