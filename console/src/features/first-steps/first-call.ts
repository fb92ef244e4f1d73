import { i18n } from '../../core/i18n.ts'

/** Tokens that the answer may have: it only has to show that all is well. */
const ANSWER_TOKENS = 32

/** Calls a model as any program would, from this page. Throws with what the gateway said. */
export async function sendFirstCall(key: string, model: string): Promise<void> {
  const answer = await fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: ANSWER_TOKENS,
      messages: [{ role: 'user', content: i18n.t('firstSteps.hello') }],
    }),
  }).catch((cause: unknown) => {
    throw new Error(i18n.t('failure.unreachable'), { cause })
  })
  if (answer.ok) return
  const said = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null
  throw new Error(
    said?.error?.message || i18n.t('firstSteps.callFailed', { status: answer.status }),
  )
}
