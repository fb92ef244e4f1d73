import { FAILURE_TEXTS } from '@tollgate/command-api/http-contract/failure-texts.ts'

/**
 * Passes an answer on; throws when it is a failure of the console API whose code and values do not give its text again:
 * a text without a code cannot be rendered in the reader's language (decision 47).
 */
export function withCodeIfFailed<Body extends Readonly<Record<string, unknown>>>(body: Body): Body {
  const said = body['success'] === false ? body['message'] : paymentRefusal(body)
  if (said === undefined) return body
  const rendered = rendering(body['code'], body['params'])
  if (rendered !== said) {
    throw new Error(
      `the failure ${JSON.stringify(said)} has the code ${JSON.stringify(body['code'])}, which says ${rendered}: add its text to command-api/http-contract/failure-texts.ts`,
    )
  }
  return body
}

/** The routes of payment say `error`, and the text in `data` (console-api 1.1). */
const paymentRefusal = (body: Readonly<Record<string, unknown>>): unknown =>
  body['message'] === 'error' ? body['data'] : undefined

function rendering(code: unknown, params: unknown): string | undefined {
  const texts: Readonly<Record<string, string>> = FAILURE_TEXTS
  const values: Readonly<Record<string, unknown>> =
    typeof params === 'object' && params !== null ? { ...params } : {}
  return texts[String(code)]?.replaceAll(/\{([a-z]\w*)#?\}/gi, (_, name: string) =>
    String(values[name]),
  )
}
