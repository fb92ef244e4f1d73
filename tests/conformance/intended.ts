/** A difference that is meant, and why. */
export interface Intended {
  /** Undefined = every recording. */
  readonly recordings?: readonly string[]
  /** Of lines as `differencesOf` writes them. */
  readonly difference: RegExp
  readonly why: string
}

export const INTENDED: readonly Intended[] = [
  {
    difference:
      /^(?:\.\w+)*\.error(?:\.body(?:\.error)?)?\.message: "(?<said>.*?)(?<rest>\\n.*)?" → "\k<said> \(request id: [\w-]+\)(?:\\n.*)?"$/u,
    why: 'the request id finds the log line and the event',
  },
  {
    difference: /\.error\.(?:body: |message: "\{).* → .*\(request id: [\w-]+\)/u,
    why: 'the same, in clients that show the body as it is written',
  },
  {
    difference: /\.error\.body\.request_id: "req_1" → "request-\d+"$/u,
    why: "the same, where Anthropic's errors have a place for it",
  },
  {
    difference: /\.error\.message: "received error while streaming: .* → .*\(request id: [\w-]+\)/u,
    why: 'the same, in a client that says the whole error in its message',
  },
  {
    difference: /\.error\.details\.error\.details: nothing → .*"requestId":"request-\d+"/u,
    why: "the same, where Google's errors have a place for it",
  },
  {
    recordings: ['error-in-a-list', 'error-chunk'],
    difference:
      /\.error(?:\.body)?\.(?:type|param|code|status): (?:nothing|null|"") → (?:"upstream_error"|""|"?400"?|"INVALID_ARGUMENT")$/u,
    why: "an error of OpenAI's shape has a type, a parameter and a code",
  },
  {
    recordings: ['error-in-a-list'],
    difference: /\.(?:error|body)\b.*Bad thing/u,
    why: "OpenAI's clients read no list of errors: its first is told as theirs",
  },
  {
    recordings: ['error-midway', 'error-chunk'],
    difference:
      /"message":"(?:terminated|Failed to process successful response|closed)"|: nothing → "terminated"$/u,
    why: 'a stream that fails breaks the connection, too: many clients know no error events',
  },
  {
    recordings: ['error-midway', 'error-chunk'],
    difference:
      /^\.(?:(?:events|parts|answer)\b.* → |chunks\.3: .*"finish_reason":"error".* → nothing$)/u,
    why: 'what comes after the error of a stream is not sent',
  },
  {
    recordings: ['azure-filters', 'ollama-roles', 'llamacpp-timings', 'no-content-type'],
    difference: /^\.(?:events|chunks|answers|parts|usage|deltas|final|answer\.usage)\b/u,
    why: 'usage that is asked for and that the provider does not tell is counted here',
  },
  {
    recordings: ['error-in-a-list'],
    difference: /^\.error\.name: "APIError" → "InvalidRequestError"$/u,
    why: 'the same, in a client that names its errors by their bodies',
  },
  {
    recordings: ['error-chunk'],
    difference: /^\.error: nothing → \{.*"message":"Provider disconnected/u,
    why: 'the same, in a client that knows no error beside other members',
  },
  {
    recordings: ['error-chunk'],
    difference: /^\.error\.body\.\w+: .* → nothing$/u,
    why: 'an error is sent alone, without the chunk that it came in',
  },
  {
    recordings: ['no-content-type'],
    difference: /^\.error: .*AssertionError.* → nothing$/u,
    why: 'the same, in a client that takes no event stream by another name',
  },
  {
    recordings: ['no-content-type'],
    difference: /^\.type: "text\/plain" → "text\/event-stream"$/u,
    why: 'an event stream is one whatever its provider calls it',
  },
  {
    difference:
      /(?:\.id|\.response_?[iI]d): "resp_1" → "resp_[\w-]+"$|^\.error\.body: "\{\\"id\\":\\"resp_1\\"(?<rest>.*) → "\{\\"id\\":\\"resp_[\w-]+\\"\k<rest>$/u,
    why: 'the id of a response seals its channel and account',
  },
  {
    difference:
      /(?:\.id|\.item_?[iI]d): "(?<kind>rs|fc|msg)_\d(?<rest>:\d+)?" → "\k<kind>_chatcmpl-1_\d\k<rest>"$/u,
    why: "items that are made of a chat are named by the chat's id",
  },
  {
    recordings: ['chat-2-calls-stream-as-response'],
    difference: /^\.(?:events|parts)\b/u,
    why: 'calls of a chat can come interleaved: none is over before all are',
  },
  {
    difference: /\.created_at: 1790000000 → \d{10}$/u,
    why: 'a response that is made of a chat is made now',
  },
]
