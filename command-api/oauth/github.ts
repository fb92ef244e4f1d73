import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import { z } from 'zod'
import { askProvider } from './ask-provider.ts'
import {
  type ProviderRequestDeps,
  refused,
  type SignUpProvider,
  type Vouching,
  vouched,
} from './provider.ts'

export const GITHUB: SignUpProvider = {
  kind: 'githubId',
  option: 'GitHubOAuthEnabled',
  namePrefix: 'github',
  offText: '管理员未开启通过 GitHub 登录以及注册',
  takenText: '该 GitHub 账户已被绑定',
}

const TEXTS = {
  unreachable: '无法连接至 GitHub 服务器，请稍后重试！',
  empty: '返回值非法，用户字段为空，请稍后重试！',
} as const

const tokenAnswer = z.object({ access_token: z.string().min(1) })
const userAnswer = z.object({
  login: z.string().min(1),
  id: z.int().optional(),
  name: z.string().nullish(),
  email: z.string().nullish(),
})

const GITHUB_COM = 'https://github.com'

/** Where people sign in: github.com or a GitHub Enterprise Server, without a trailing slash. */
export const gitHubAddress = (options: OptionsView): string =>
  options.text('GitHubServerAddress') || GITHUB_COM

/** https://docs.github.com/en/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api */
const userAddress = (options: OptionsView): string => {
  const address = gitHubAddress(options)
  return address === GITHUB_COM ? 'https://api.github.com/user' : `${address}/api/v3/user`
}

/**
 * Exchanges GitHub's code for who it was given to: their login is their id (console-api 2.3). Logins change hands, the
 * number of an account does not.
 */
export async function askGitHub(deps: ProviderRequestDeps, code: string): Promise<Vouching> {
  if (code === '') return refused('无效的参数')
  const { fetch, options } = deps
  const token = await askProvider(
    fetch,
    `${gitHubAddress(options.current())}/login/oauth/access_token`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        client_id: options.current().text('GitHubClientId'),
        client_secret: options.secret('GitHubClientSecret'),
        code,
      }),
    },
    tokenAnswer,
  )
  if (token.status === 'unreachable') return refused(TEXTS.unreachable, token.reason)
  if (token.status === 'unfit') return refused(TEXTS.empty, token.reason)
  const user = await askProvider(
    fetch,
    userAddress(options.current()),
    {
      headers: {
        authorization: `Bearer ${token.value.access_token}`,
        accept: 'application/json',
        // GitHub refuses clients that do not say who they are.
        'user-agent': 'Tollgate',
      },
    },
    userAnswer,
  )
  if (user.status === 'unreachable') return refused(TEXTS.unreachable, user.reason)
  if (user.status === 'unfit') return refused(TEXTS.empty, user.reason)
  const { login, id, name, email } = user.value
  const profile = {
    id: login,
    holder: String(id ?? ''),
    username: '',
    displayName: name?.trim() || 'GitHub User',
    email: email ?? '',
  }
  return vouched(profile, TEXTS.empty)
}
