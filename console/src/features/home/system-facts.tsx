import { chakra, Flex, Heading } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import type { Status } from '../../core/contract.ts'
import { useStatus } from '../../core/status.ts'
import { Panel } from '../../parts/page.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { dateTime } from '../../parts/time-format.ts'

/** Version, start and which ways of signing in are on. */
export function SystemFacts() {
  const { t } = useTranslation()
  const status = useStatus()
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="2">
        {t('home.facts')}
      </Heading>
      {status ? <Facts status={status} /> : <SkeletonRows rows={6} height="24px" />}
    </Panel>
  )
}

function Facts({ status }: { status: Status }) {
  const { t } = useTranslation()
  const onOff = (isOn: boolean) => (isOn ? t('home.on') : t('home.off'))
  const facts = [
    [t('home.version'), status.version || t('home.unknown')],
    [t('home.license'), 'Apache-2.0'],
    [t('home.started'), dateTime(status.start_time)],
    [t('home.emailVerification'), onOff(status.email_verification)],
    ['GitHub', onOff(status.github_oauth)],
    ['OIDC', onOff(status.oidc_enabled)],
    [t('home.wechat'), onOff(status.wechat_login)],
    ['Telegram', onOff(status.telegram_oauth)],
    ['Linux DO', onOff(status.linuxdo_oauth)],
    ['Turnstile', onOff(status.turnstile_check)],
  ] as const
  return (
    <chakra.dl display="grid" gap="1.5">
      {facts.map(([label, value]) => (
        <Flex key={label} justify="space-between" gap="4">
          <chakra.dt color="fg.muted">{label}</chakra.dt>
          <chakra.dd textAlign="end" fontVariantNumeric="tabular-nums">
            {value}
          </chakra.dd>
        </Flex>
      ))}
    </chakra.dl>
  )
}
