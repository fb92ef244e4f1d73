import { Box, Heading } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { useIsRoot } from '../../core/session.ts'
import { useStatus } from '../../core/status.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { LazyMarkdown } from '../../parts/markdown/lazy-markdown.tsx'
import { notifyFailure, notifySuccess } from '../../parts/notify.tsx'
import { Time } from '../../parts/time.tsx'
import { useUpdateCheck } from './queries.ts'
import { Section } from './section.tsx'

/** Which version runs, since when, and, for the super administrator, whether there is a newer one. */
export function SystemInfo() {
  const { t } = useTranslation()
  const status = useStatus()
  const isRoot = useIsRoot()
  return (
    <Section id="info" title={t('settings.section_info')}>
      <Box maxW="420px">
        <Facts
          facts={[
            { label: t('settings.version'), value: status?.version },
            {
              label: t('settings.startTime'),
              value: status ? <Time seconds={status.start_time} /> : null,
            },
          ]}
        />
      </Box>
      {isRoot ? <UpdateCheck /> : null}
    </Section>
  )
}

function UpdateCheck() {
  const { t } = useTranslation()
  const check = useUpdateCheck({
    onNewest: () => notifySuccess(t('settings.isNewest')),
    onFailed: () => notifyFailure(new Error(t('settings.updateFailed'))),
  })
  return (
    <Box mt="4">
      <BusyButton
        size="sm"
        variant="outline"
        isBusy={check.isPending}
        onClick={() => check.mutate()}
      >
        {t('settings.checkUpdate')}
      </BusyButton>
      {check.data?.is_newer ? (
        <Box as="output" display="block" mt="4">
          <Heading as="h3" size="sm" mb="2">
            {t('settings.newVersion', { version: check.data.tag_name })}
          </Heading>
          <LazyMarkdown text={check.data.body} />
        </Box>
      ) : null}
    </Box>
  )
}
