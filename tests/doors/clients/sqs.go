// aws-sdk-go of Debian. Built and run by `go run` with GO111MODULE=off.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	"github.com/aws/aws-sdk-go/aws/session"
	"github.com/aws/aws-sdk-go/service/sqs"
)

func call(client *sqs.SQS, name, text string) string {
	method := reflect.ValueOf(client).MethodByName(name)
	if !method.IsValid() {
		return "unknown"
	}
	input := reflect.New(method.Type().In(0).Elem())
	if err := json.Unmarshal([]byte(text), input.Interface()); err != nil {
		return "error " + err.Error()
	}
	answers := method.Call([]reflect.Value{input})
	if err, is := answers[1].Interface().(awserr.RequestFailure); is {
		return "refused " + err.Code() + " -"
	}
	if err, is := answers[1].Interface().(error); is {
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	out, err := json.Marshal(answers[0].Interface())
	if err != nil {
		return "error " + err.Error()
	}
	return "done " + string(out)
}

func main() {
	var client *sqs.SQS
	fmt.Println("words connect call")
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), " ", 3)
		if words[0] == "connect" {
			client = sqs.New(session.Must(session.NewSession(&aws.Config{
				Endpoint: aws.String("http://127.0.0.1:" + words[1]), Region: aws.String("eu-west-1")})))
			fmt.Println("ok")
		} else {
			fmt.Println(call(client, words[1], words[2]))
		}
	}
}
