// What the official package shows of an answer: objects, chunks, what its accumulator makes of them, errors.
package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
	"tollgate/conformance/jobs"
)

func main() { jobs.Run(observe) }

func observe(job jobs.Job) jobs.Seen {
	client := openai.NewClient(
		option.WithBaseURL(job.BaseURL),
		option.WithAPIKey(job.APIKey),
		option.WithMaxRetries(0),
	)
	if job.IsStream() {
		return streamed(client, job)
	}
	answer, err := client.Chat.Completions.New(context.Background(), asked(job))
	if err != nil {
		return jobs.Seen{"error": errorOf(err)}
	}
	return jobs.Seen{"answer": answer, "raw": json.RawMessage(answer.RawJSON())}
}

func streamed(client openai.Client, job jobs.Job) jobs.Seen {
	stream := client.Chat.Completions.NewStreaming(context.Background(), asked(job))
	defer stream.Close()
	chunks := []openai.ChatCompletionChunk{}
	whole := openai.ChatCompletionAccumulator{}
	refused := 0
	for stream.Next() {
		chunk := stream.Current()
		chunks = append(chunks, chunk)
		if !whole.AddChunk(chunk) {
			refused++
		}
	}
	seen := jobs.Seen{"chunks": chunks, "final": whole.ChatCompletion, "refused": refused}
	if err := stream.Err(); err != nil {
		seen["error"] = errorOf(err)
	}
	return seen
}

func asked(job jobs.Job) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model:    job.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(jobs.Question)},
	}
	if job.OffersTools() {
		params.Tools = []openai.ChatCompletionToolUnionParam{
			openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
				Name:        "weather",
				Description: openai.String("The weather of a city"),
				Parameters:  jobs.Parameters,
			}),
		}
	}
	if job.AsksForUsage() {
		params.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return params
}

func errorOf(err error) jobs.Seen {
	var api *openai.Error
	if !errors.As(err, &api) {
		return jobs.Seen{"message": err.Error()}
	}
	return jobs.Seen{
		"status":  api.StatusCode,
		"code":    api.Code,
		"type":    api.Type,
		"param":   api.Param,
		"message": api.Message,
		"retry":   jobs.RetryHeaders(api.Response.Header),
	}
}
