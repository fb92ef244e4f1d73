import { Box, chakra, Flex, Input } from '@chakra-ui/react'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'
import { FormField } from '../../parts/fields.tsx'
import { domainsOf, optionProblem } from './option-form.ts'
import { specOf } from './options.ts'
import { problemText } from './option-words.ts'

/** A list of mail domains: one is added when it looks like a domain and is not there yet. */
export function DomainsInput(props: {
  label: string
  text: string
  error: string | undefined
  onChange: (text: string) => void
}) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [refusal, setRefusal] = useState<string | undefined>()
  const domains = domainsOf(props.text)
  const add = () => {
    const next = [...domains, ...domainsOf(typed.toLowerCase())].join(',')
    const problem = optionProblem(specOf('EmailDomainWhitelist'), next)
    if (problem && problem.type !== 'json') return setRefusal(problemText(problem, t))
    setTyped('')
    return props.onChange(next)
  }
  return (
    <Box>
      <FormField label={props.label} error={refusal ?? props.error}>
        <Flex gap="2" w="full" maxW="420px">
          <Input
            size="sm"
            value={typed}
            placeholder={t('settings.domainPlaceholder')}
            onChange={(event) => {
              setTyped(event.target.value)
              setRefusal(undefined)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
              event.preventDefault()
              add()
            }}
          />
          <BusyButton
            size="sm"
            variant="outline"
            isBusy={false}
            isLocked={typed.trim() === ''}
            onClick={add}
          >
            {t('settings.domainAdd')}
          </BusyButton>
        </Flex>
      </FormField>
      <Flex as="ul" gap="1" wrap="wrap" mt="2" listStyleType="none" aria-label={props.label}>
        {domains.map((domain) => (
          <Flex
            as="li"
            key={domain}
            align="center"
            gap="1"
            px="1.5"
            py="0.5"
            borderRadius="l1"
            bg="bg.muted"
            fontSize="xs"
            fontFamily="mono"
          >
            {domain}
            <chakra.button
              type="button"
              cursor="pointer"
              aria-label={t('models.remove', { name: domain })}
              onClick={() => props.onChange(domains.filter((other) => other !== domain).join(','))}
            >
              <X size={12} />
            </chakra.button>
          </Flex>
        ))}
      </Flex>
    </Box>
  )
}
