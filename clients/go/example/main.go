// Puts rows into the journal "pages", and works on them until it is interrupted.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"fastjournal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	server := fastjournal.DefaultServer
	if len(os.Args) > 1 {
		server = os.Args[1]
	}
	connection, err := fastjournal.Connect(ctx, server, fastjournal.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	pages := connection.Journal("pages")

	put, err := pages.Put(ctx, fastjournal.Columns{"uri": "http://example.com/"},
		fastjournal.JournalPutOptions{
			Priority: fastjournal.Int(20), ProcessDate: fastjournal.In(time.Second),
		})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(put.Result, "row", put.Row, "due", put.ProcessDate)

	err = pages.Work(ctx, func(ctx context.Context, row fastjournal.Row) error {
		fmt.Println("working on", row.Columns["uri"])
		return nil // it is done; an error is a failed attempt
	}, fastjournal.WorkerOptions{Concurrency: 4, Lease: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
}
