import type { Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { type Gateway, startGateway } from '../support/gateway.ts'
import { openBeside, openSignedIn, stopAll } from './signed-in.ts'
import { textsOf } from './texts.ts'

/** Replays in a real browser: asked for and followed to their end. */
let gateway: Gateway
let page: Page
const t = textsOf('en')
const MODEL = 'gpt-4o-mini'
const ANN = { username: 'ann', password: 'long-enough-2' } as const
const BUSY_MS = 180_000

beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const ann = await gateway.root.addUser(ANN.username, ANN.password, 1_500_000)
  const { key } = await ann.createToken({ name: 'notebook' })
  for (let call = 0; call < 3; call += 1)
    await gateway
      .openai(key)
      .chat.completions.create({ model: MODEL, messages: [{ role: 'user', content: 'hello' }] })
  page = (await openSignedIn(gateway, { language: 'en' })).page
}, 120_000)
afterAll(() => stopAll(page, gateway))

test(
  'given a user on a phone, when they replay, then it is their own usage',
  async () => {
    const own = await openBeside(page, gateway, { language: 'en', width: 390, who: ANN })
    await own.page.goto('/replays?add=true')
    const form = own.page.getByRole('dialog')
    await form.getByLabel(t('replays.name')).fill('mine')
    await form.getByRole('button', { name: t('replays.start') }).click()
    await own.page.getByText('mine').waitFor()
    await own.page.getByText(t('replays.status_done')).waitFor()
    await own.expectAccessible()
    own.expectNoComplaint()
    await own.page.context().close()
  },
  BUSY_MS,
)
