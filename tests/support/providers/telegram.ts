import { createHash, createHmac } from 'node:crypto'

export const TELEGRAM_BOT_TOKEN = '123456:telegram-bot-token'

/** The fields that Telegram's login widget hands over for somebody, signed with a bot's token. */
export function signedByTelegram(
  fields: Readonly<Record<string, string>>,
  botToken = TELEGRAM_BOT_TOKEN,
): Readonly<Record<string, string>> {
  const lines = Object.keys(fields)
    .sort()
    .map((key) => `${key}=${fields[key]}`)
  const key = createHash('sha256').update(botToken).digest()
  const hash = createHmac('sha256', key).update(lines.join('\n')).digest('hex')
  return { ...fields, hash }
}
