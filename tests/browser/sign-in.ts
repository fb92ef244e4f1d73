import type { Download, Page } from 'playwright-core'
import { ROOT } from '../support/gateway.ts'
import { textsOf } from './texts.ts'

interface Who {
  readonly username: string
  readonly password: string
}

/** Signs in as somebody would at the console's own page, by default as root, and waits for the first screen. */
export async function signIn(
  page: Page,
  who: Who = ROOT,
  language: 'zh' | 'en' = 'zh',
): Promise<void> {
  await page.goto('/login')
  await sendSignIn(page, who, language)
  await page.waitForURL('**/token')
}

/** Fills in the sign-in page, which is open, and sends it; what comes of it is not waited for. */
export async function sendSignIn(page: Page, who: Who, language: 'zh' | 'en'): Promise<void> {
  const t = textsOf(language)
  await page.getByLabel(t('login.username')).fill(who.username)
  await page.getByLabel(t('login.password'), { exact: true }).fill(who.password)
  await page.getByRole('button', { name: t('login.submit'), exact: true }).click()
}

/** The bytes of a saved file. The file itself is on Chromium's side of the connection. */
export async function bytesOf(file: Download): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}

/** The text of a saved file. */
export const textOf = async (file: Download): Promise<string> =>
  (await bytesOf(file)).toString('utf8')
