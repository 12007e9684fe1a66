import { Fragment, useEffect, useRef, useState } from 'react'
import { access } from '#contract/access/access.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { call } from '#web/api/client.ts'
import { Input } from '#web/ui/input.tsx'

type UsernameCheck = OutputOf<typeof access.checkUsername>

/** Pause in typing before a lookup; the server allows 10 lookups a minute. */
const typingPauseMs = 1200

/** Looks up the TradingView username after a pause and on blur. The result never blocks the form. */
export function UsernameInput({ defaultValue = '' }: { defaultValue?: string | undefined }) {
  const input = useRef<HTMLInputElement>(null)
  const [checked, setChecked] = useState<{ typed: string; result: UsernameCheck | null }>({ typed: '', result: null })

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  async function check(typed: string) {
    clearTimeout(timer.current)
    if (typed === checked.typed) return
    setChecked({ typed, result: null })
    if (typed === '') return
    const result = await call(access.checkUsername, { username: typed }).catch(() => null)
    if (input.current?.value.trim() === typed) setChecked({ typed, result })
  }

  function chooseName(name: string) {
    if (input.current) input.current.value = name
    // The chosen button disappears, and the focus would be lost with it.
    input.current?.focus()
    void check(name)
  }

  return (
    <>
      <Input
        ref={input}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        defaultValue={defaultValue}
        onChange={(event) => {
          const typed = event.target.value.trim()
          clearTimeout(timer.current)
          timer.current = setTimeout(() => void check(typed), typingPauseMs)
        }}
        onBlur={(event) => void check(event.target.value.trim())}
      />
      <p role="status" className="text-sm empty:hidden">
        <CheckResult {...checked} onChoose={chooseName} />
      </p>
    </>
  )
}

function CheckResult(props: { typed: string; result: UsernameCheck | null; onChoose: (name: string) => void }) {
  const { typed, result, onChoose } = props
  if (!result) return null
  if (result.refusal) return <span className="text-warning">{result.refusal}</span>
  if (result.found) return <span className="text-accent-strong">Found on TradingView: {result.username}</span>
  if (result.found === null) return null
  return (
    <span className="text-warning">
      We can’t find <strong>{typed}</strong> on TradingView.
      {result.similar.length > 0 && (
        <>
          {' '}
          Did you mean{' '}
          {result.similar.map((name, index) => (
            <Fragment key={name}>
              {index > 0 && ' or '}
              <button
                type="button"
                onClick={() => onChoose(name)}
                className="cursor-pointer font-medium underline underline-offset-2"
              >
                {name}
              </button>
            </Fragment>
          ))}
          ?
        </>
      )}
    </span>
  )
}
