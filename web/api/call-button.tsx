import type { ComponentProps } from 'react'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { Button } from '#web/ui/button.tsx'
import { ask, type Question } from '#web/ui/confirm.tsx'
import { useCall } from './use-call.ts'

type Props<E extends Endpoint> = ComponentProps<typeof Button> & {
  call: E
  input: InputOf<E>
  options: Parameters<typeof useCall<E>>[1]
  asks?: Question
}

export function CallButton<E extends Endpoint>({ call, input, options, asks, ...button }: Props<E>) {
  const { mutate, isPending } = useCall(call, options)
  const act = () => mutate(input)
  return <Button pending={isPending} onClick={() => (asks ? ask(asks, act) : act())} {...button} />
}
