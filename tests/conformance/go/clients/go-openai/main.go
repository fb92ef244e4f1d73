// What sashabaranov/go-openai shows of an answer: objects, chunks, errors.
package main

import (
	"context"
	"errors"
	"io"

	"github.com/sashabaranov/go-openai"
	"tollgate/conformance/jobs"
)

func main() { jobs.Run(observe) }

func observe(job jobs.Job) jobs.Seen {
	config := openai.DefaultConfig(job.APIKey)
	config.BaseURL = job.BaseURL
	client := openai.NewClientWithConfig(config)
	if job.IsStream() {
		return streamed(client, job)
	}
	answer, err := client.CreateChatCompletion(context.Background(), asked(job))
	if err != nil {
		return jobs.Seen{"error": errorOf(err)}
	}
	return jobs.Seen{"answer": answer}
}

func streamed(client *openai.Client, job jobs.Job) jobs.Seen {
	stream, err := client.CreateChatCompletionStream(context.Background(), asked(job))
	if err != nil {
		return jobs.Seen{"error": errorOf(err)}
	}
	defer stream.Close()
	chunks := []openai.ChatCompletionStreamResponse{}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return jobs.Seen{"chunks": chunks}
		}
		if err != nil {
			return jobs.Seen{"chunks": chunks, "error": errorOf(err)}
		}
		chunks = append(chunks, chunk)
	}
}

func asked(job jobs.Job) openai.ChatCompletionRequest {
	request := openai.ChatCompletionRequest{
		Model: job.Model,
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleUser, Content: jobs.Question},
		},
	}
	if job.OffersTools() {
		request.Tools = []openai.Tool{{
			Type: openai.ToolTypeFunction,
			Function: &openai.FunctionDefinition{
				Name:        "weather",
				Description: "The weather of a city",
				Parameters:  jobs.Parameters,
			},
		}}
	}
	if job.AsksForUsage() {
		request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	return request
}

func errorOf(err error) jobs.Seen {
	var api *openai.APIError
	if errors.As(err, &api) {
		return jobs.Seen{
			"status":  api.HTTPStatusCode,
			"code":    api.Code,
			"type":    api.Type,
			"param":   api.Param,
			"message": api.Message,
		}
	}
	var failed *openai.RequestError
	if errors.As(err, &failed) {
		return jobs.Seen{"status": failed.HTTPStatusCode, "body": string(failed.Body)}
	}
	return jobs.Seen{"message": err.Error()}
}
