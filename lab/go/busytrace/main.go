// Command busytrace writes a large execution trace: TCP echo over loopback, channel ping-pong, short-lived
// goroutines, coroutine switches, system calls and garbage, until so many seconds have passed.
//
//	busytrace FILE SECONDS
package main

import (
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"runtime/trace"
	"strconv"
	"sync"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: busytrace FILE SECONDS")
		os.Exit(2)
	}
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	check(err)
	out, err := os.Create(os.Args[1])
	check(err)
	check(trace.Start(out))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { echo(stop) })
		wg.Go(func() { pingPong(stop) })
		wg.Go(func() { shortLived(stop) })
	}
	wg.Go(func() { coroutines(stop) })
	wg.Go(func() { systemCalls(stop) })
	time.Sleep(time.Duration(seconds * float64(time.Second)))
	close(stop)
	wg.Wait()
	trace.Stop()
	check(out.Close())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func stopped(stop chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

func echo(stop chan struct{}) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		check(err)
		io.Copy(conn, conn)
		conn.Close()
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	check(err)
	defer conn.Close()
	buffer := make([]byte, 128)
	for !stopped(stop) {
		_, err = conn.Write(buffer)
		check(err)
		_, err = io.ReadFull(conn, buffer)
		check(err)
	}
}

func pingPong(stop chan struct{}) {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for n := range ping {
			pong <- n
		}
		close(pong)
	}()
	for n := 0; !stopped(stop); n++ {
		ping <- n
		<-pong
	}
	close(ping)
}

func shortLived(stop chan struct{}) {
	for !stopped(stop) {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { garbage = make([]byte, 4096) })
		}
		wg.Wait()
	}
}

var garbage []byte

func coroutines(stop chan struct{}) {
	for !stopped(stop) {
		next, end := iter.Pull(func(yield func(int) bool) {
			for n := range 50 {
				if !yield(n) {
					return
				}
			}
		})
		for range 50 {
			next()
		}
		end()
		time.Sleep(time.Millisecond)
	}
}

func systemCalls(stop chan struct{}) {
	for !stopped(stop) {
		file, err := os.Open("/proc/self/stat")
		check(err)
		io.Copy(io.Discard, file)
		file.Close()
		time.Sleep(200 * time.Microsecond)
	}
}
