import type { UpstreamError } from '../upstream/errors.ts'

/**
 * The text for an admin about a failed request to a channel: upstream's own words where it sent any, else the problem
 * and its remedy, in the console's language. Clients of the relay read OpenAI's.
 */
export function wordsForAdmins(error: UpstreamError): string {
  const { bodyExcerpt, code, message, upstreamStatus } = error
  if (bodyExcerpt !== '') return message
  if (upstreamStatus !== null && code === 'bad_response_status_code') {
    return `上游返回状态码 ${upstreamStatus}，没有说明原因，请检查渠道密钥和 API 地址`
  }
  return WORDS.get(code) ?? message
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['upstream_unreachable', '无法连接上游，请检查渠道 API 地址、代理和网络'],
  [
    'upstream_forbidden',
    '渠道 API 地址或代理地址不允许访问：位于内网，或为链路本地、云平台元数据地址，请更换地址，内网地址也可由超级管理员开启 fetch_setting.allow_private_channel_addresses',
  ],
  ['upstream_timeout', '上游未在规定时间内响应，请稍后重试，或检查渠道 API 地址和代理'],
  ['upstream_broken', '与上游的连接中断，请稍后重试，或检查渠道 API 地址和代理'],
  ['client_closed_request', '请求已中止，请重试'],
  [
    'bad_response_body',
    '上游的响应无法使用（为空、不是 JSON、没有内容或编码未知），请检查渠道类型、API 地址和测试模型后重试',
  ],
  [
    'invalid_api_type',
    '该类型的渠道不支持此请求：协议尚未实现，或没有该模型所需的接口，请更换渠道类型或模型',
  ],
  ['invalid_channel', '渠道 API 地址或代理地址无效，请检查后重新填写'],
])
