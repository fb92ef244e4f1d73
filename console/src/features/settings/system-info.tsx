import { useTranslation } from 'react-i18next'
import { useStatus } from '../../core/status.ts'
import { Facts } from '../../parts/facts.tsx'
import { Time } from '../../parts/time.tsx'
import { Section } from './section.tsx'

/** Which version runs, and since when. */
export function SystemInfo() {
  const { t } = useTranslation()
  const status = useStatus()
  return (
    <Section id="info" title={t('settings.section_info')}>
      <Facts
        facts={[
          { label: t('settings.version'), value: status?.version },
          {
            label: t('settings.startTime'),
            value: status ? <Time seconds={status.start_time} /> : null,
          },
        ]}
      />
    </Section>
  )
}
