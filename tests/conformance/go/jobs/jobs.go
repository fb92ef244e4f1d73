// Package jobs is what every client's process does: it reads jobs from standard input, a JSON array, and writes a JSON
// line `{ id, seen }` for each that the client knows.
package jobs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

const longestJob = 20 * time.Second

// Question is the same in every client.
const Question = "What is the weather?"

// Kinds are those of a client of OpenAI's chat.
var Kinds = []string{"chat", "stream", "stream-usage", "tools", "tools-stream"}

// Parameters is the JSON schema of the one tool that is offered.
var Parameters = map[string]any{
	"type":       "object",
	"properties": map[string]any{"city": map[string]any{"type": "string"}},
	"required":   []string{"city"},
}

// Job is what a client is to ask.
type Job struct {
	ID       string `json:"id"`
	Protocol string `json:"protocol"`
	BaseURL  string `json:"baseURL"`
	APIKey   string `json:"apiKey"`
	Model    string `json:"model"`
	Kind     string `json:"kind"`
}

// IsStream says whether the answer is asked for in pieces.
func (job Job) IsStream() bool { return strings.Contains(job.Kind, "stream") }

// OffersTools says whether the tool goes along.
func (job Job) OffersTools() bool { return strings.HasPrefix(job.Kind, "tools") }

// AsksForUsage says whether the stream is to end with usage.
func (job Job) AsksForUsage() bool { return job.Kind == "stream-usage" }

// Seen is what a client shows of an answer, by names of our own.
type Seen map[string]any

// Run goes through the jobs; failures of a client are part of what it shows.
func Run(observe func(Job) Seen) {
	var jobs []Job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := json.NewEncoder(os.Stdout)
	for _, job := range jobs {
		if job.Protocol != "openai" || !slices.Contains(Kinds, job.Kind) {
			continue
		}
		line := struct {
			ID   string `json:"id"`
			Seen Seen   `json:"seen"`
		}{job.ID, inTime(observe, job)}
		if err := lines.Encode(line); err != nil {
			fmt.Fprintln(os.Stderr, job.ID, err)
			os.Exit(1)
		}
	}
}

func inTime(observe func(Job) Seen, job Job) Seen {
	done := make(chan Seen, 1)
	go func() { done <- observe(job) }()
	select {
	case seen := <-done:
		return seen
	case <-time.After(longestJob):
		return Seen{"error": fmt.Sprintf("no answer within %s", longestJob)}
	}
}

// RetryHeaders are those by which a client is told when to ask again.
func RetryHeaders(headers http.Header) Seen {
	seen := Seen{}
	for _, name := range []string{"retry-after", "retry-after-ms", "x-should-retry"} {
		seen[name] = headers.Get(name)
	}
	return seen
}
