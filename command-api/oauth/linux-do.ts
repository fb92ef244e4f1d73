import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { foreignText } from '@tollgate/domain/text.ts'
import { z } from 'zod'
import { askProvider } from './ask-provider.ts'
import {
  type ProviderRequestDeps,
  refused,
  type SignUpProvider,
  type Vouching,
  vouched,
} from './provider.ts'

export const LINUX_DO: SignUpProvider = {
  kind: 'linuxDoId',
  option: 'LinuxDOOAuthEnabled',
  namePrefix: 'linuxdo',
  offText: '管理员未开启通过 Linux DO 登录以及注册',
  takenText: '该 Linux DO 账户已被绑定',
}

const INVALID = 'invalid user info returned'

const tokenAnswer = z.object({
  access_token: z.string().default(''),
  message: z.string().default(''),
})
const userAnswer = z.object({
  id: z.int().default(0),
  name: z.string().nullish(),
})

/** Where people sign in, without a trailing slash. */
export const linuxDoAddress = (options: OptionsView): string =>
  options.text('LinuxDOServerAddress') || 'https://connect.linux.do'

/** Exchanges Linux DO's code for who it was given to. `serverAddress` is ours, without a trailing slash. */
export async function askLinuxDo(
  deps: ProviderRequestDeps,
  code: string,
  serverAddress: string,
): Promise<Vouching> {
  if (code === '') return refused('invalid code')
  const { fetch, options } = deps
  const id = options.current().text('LinuxDOClientId')
  const secret = options.secret('LinuxDOClientSecret')
  const token = await askProvider(
    fetch,
    `${linuxDoAddress(options.current())}/oauth2/token`,
    {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        accept: 'application/json',
      },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: `${serverAddress}/api/oauth/linuxdo`,
      }),
    },
    tokenAnswer,
  )
  if (token.status === 'unreachable') {
    return refused('failed to connect to Linux DO server', token.reason)
  }
  if (token.status === 'unfit') return refused(noToken(''), token.reason)
  const { access_token, message } = token.value
  if (access_token === '') return refused(noToken(message), message)
  const user = await askProvider(
    fetch,
    `${linuxDoAddress(options.current())}/api/user`,
    { headers: { authorization: `Bearer ${access_token}`, accept: 'application/json' } },
    userAnswer,
  )
  if (user.status !== 'answered') {
    return refused('failed to get user info from Linux DO', user.reason)
  }
  if (user.value.id === 0) return refused(INVALID)
  const profile = {
    id: String(user.value.id),
    username: '',
    displayName: user.value.name?.trim() || 'Linux DO User',
    email: '',
  }
  return vouched(profile, INVALID)
}

/** Most characters of a foreign server's words that are shown to the user. */
const MESSAGE_CHARACTERS_MAX = 200

const noToken = (why: string): string =>
  `failed to get access token: ${foreignText(why, MESSAGE_CHARACTERS_MAX)}`
