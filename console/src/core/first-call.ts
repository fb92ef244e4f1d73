/** The program of the example. */
export const FIRST_CALL_PROGRAM = 'curl'

/** The smallest call that works, as the home page shows it. */
export const firstCall = (
  server: string,
): string => `${FIRST_CALL_PROGRAM} ${server}/v1/chat/completions \\
  -H "Authorization: Bearer sk-..." \\
  -H "Content-Type: application/json" \\
  -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'`
