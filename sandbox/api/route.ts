import type { Failure } from '../failure.ts'
import type { Work } from '../work.ts'
import { expandAll } from './expand.ts'
import type { Form } from './form.ts'
import { type Params, reader, type Shape, texts } from './params.ts'

export type Method = 'GET' | 'POST' | 'DELETE'
export type Call<S extends Shape> = { work: Work; id: string; params: Params<S>; publishable: boolean }
export type Answer = object | Failure

export type Route = {
  method: Method
  steps: string[]
  /** Open to browsers, with the publishable key and the object's client secret. */
  publishable: boolean
  movesClock: boolean
  run(call: { work: Work; id: string; form: Form; publishable: boolean }): Promise<unknown>
}

type Options = { publishable?: boolean; movesClock?: boolean }

export function route<S extends Shape>(
  method: Method,
  path: string,
  shape: S,
  handle: (call: Call<S>) => Promise<Answer>,
  options: Options = {},
): Route {
  const read = reader(shape)
  const readExpand = reader({ expand: texts })
  return {
    method,
    steps: path.split('/').slice(1),
    publishable: options.publishable ?? false,
    movesClock: options.movesClock ?? false,
    async run({ work, id, form, publishable }) {
      const { expand, ...rest } = form
      const paths = readExpand(expand === undefined ? {} : { expand }).expand
      const answer = await handle({ work, id, params: read(rest), publishable })
      return answer instanceof Error ? answer : expandAll(work, answer, paths)
    },
  }
}

export function match(routes: Route[], method: string, path: string) {
  const steps = path.split('/').slice(1)
  for (const each of routes) {
    if (each.method !== method || each.steps.length !== steps.length) continue
    if (!each.steps.every((step, index) => step === ':id' || step === steps[index])) continue
    return { route: each, id: steps[each.steps.indexOf(':id')] ?? '' }
  }
  return undefined
}
