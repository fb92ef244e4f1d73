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
      /^(?:\.\w+)*\.error\.message: "(?<said>.*?)(?<rest>\\n.*)?" → "\k<said> \(request id: [\w-]+\)(?:\\n.*)?"$/u,
    why: 'the request id finds the log line and the event',
  },
  {
    difference: /\.error\.body: .* → .*\(request id: [\w-]+\)/u,
    why: 'the same, in clients that show the body as it is written',
  },
  {
    recordings: ['error-in-a-list', 'error-chunk'],
    difference:
      /\.error\.(?:type: nothing → "upstream_error"|param: nothing → ""|code: nothing → 400)$/u,
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
      /"message":"(?:terminated|Failed to process successful response)"|: nothing → "terminated"$/u,
    why: 'a stream that fails breaks the connection, too: many clients know no error events',
  },
  {
    recordings: ['error-midway', 'error-chunk'],
    difference: /^\.(?:events|parts)\b.* → /u,
    why: 'what comes after the error of a stream is not sent',
  },
  {
    recordings: ['azure-filters', 'ollama-roles', 'llamacpp-timings', 'no-content-type'],
    difference: /^\.(?:events|chunks|answers|parts)\b/u,
    why: 'usage that is asked for and that the provider does not tell is counted here',
  },
  {
    recordings: ['no-content-type'],
    difference: /^\.type: "text\/plain" → "text\/event-stream"$/u,
    why: 'an event stream is one whatever its provider calls it',
  },
]
