import type { Language } from '../http-contract/language.ts'
import { type CommonQueryMethods, sql } from 'slonik'
import { z } from 'zod'
import { userSetting } from '../users/user-setting.ts'
import type { Vault } from '../secrets/vault.ts'

/** The place where a user receives notices, and their language. */
export type Recipient =
  | {
      readonly channel: 'email'
      readonly to: string
      /**
       * The name of the user who asked for mails to an address that is not their account's; null = the address is their
       * account's.
       */
      readonly askedBy: string | null
      readonly language: Language
    }
  | {
      readonly channel: 'webhook'
      readonly url: string
      /** '' = nothing is signed. */
      readonly secret: string
      readonly language: Language
    }
  /** No notice reaches the user; `why` is for the administrators. */
  | { readonly channel: 'none'; readonly why: string }

export type FindRecipient = (userId: number) => Promise<Recipient>

/** By the user's settings at this moment; an e-mail goes to the account's address unless they name another. */
export const recipientRows =
  (db: CommonQueryMethods, vault: Pick<Vault, 'open'>): FindRecipient =>
  async (userId) => {
    const row = await db.maybeOne(sql.type(recipientRow)`
      select username, email, setting, webhook_secret_ciphertext as "webhookSecret"
      from identity.users where id = ${userId} and deleted_at is null`)
    if (row === null) return { channel: 'none', why: 'the user is deleted' }
    const { username, email, setting, webhookSecret } = row
    const { notifyType, webhookUrl, notificationEmail, language } = userSetting(setting)
    if (notifyType === 'webhook') {
      if (webhookUrl === '') return { channel: 'none', why: 'the user has no webhook address' }
      const secret = webhookSecret === null ? '' : vault.open('webhook-secret', webhookSecret)
      return { channel: 'webhook', url: webhookUrl, secret, language }
    }
    const to = notificationEmail || email
    if (to === '') return { channel: 'none', why: 'the user has no e-mail address' }
    const askedBy = to.toLowerCase() === email.toLowerCase() ? null : username
    return { channel: 'email', to, askedBy, language }
  }

const recipientRow = z.object({
  username: z.string(),
  email: z.string(),
  setting: z.string(),
  webhookSecret: z.instanceof(Buffer).nullable(),
})
