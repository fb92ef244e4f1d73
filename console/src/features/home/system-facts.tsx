import { Heading } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import type { Status } from '../../core/contract.ts'
import { useStatus } from '../../core/status.ts'
import { Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/page.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'

/** Version, start and which ways of signing in are on. */
export function SystemFacts() {
  const { t } = useTranslation()
  const status = useStatus()
  return (
    <Panel p="5">
      <Heading as="h2" size="sm" mb="2">
        {t('home.facts')}
      </Heading>
      {status ? <StatusFacts status={status} /> : <SkeletonRows rows={6} height="24px" />}
    </Panel>
  )
}

function StatusFacts({ status }: { status: Status }) {
  const { t } = useTranslation()
  const onOff = (isOn: boolean) => (isOn ? t('home.on') : t('home.off'))
  const facts = [
    [t('home.version'), status.version || t('home.unknown')],
    [t('home.license'), 'Apache-2.0'],
    [t('home.started'), <Time key="started" seconds={status.start_time} />],
    [t('home.emailVerification'), onOff(status.email_verification)],
    ['GitHub', onOff(status.github_oauth)],
    ['OIDC', onOff(status.oidc_enabled)],
    [t('home.wechat'), onOff(status.wechat_login)],
    ['Telegram', onOff(status.telegram_oauth)],
    ['Linux DO', onOff(status.linuxdo_oauth)],
    ['Turnstile', onOff(status.turnstile_check)],
  ] as const
  return <Facts facts={facts.map(([label, value]) => ({ label, value }))} />
}
