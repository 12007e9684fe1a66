import { type Lab, openLab } from '../lab/lab.ts'

let opened: Promise<Lab> | undefined

/** Opens one lab for the run; faults in other processes find it by its folder. */
export default async function setUp({ provide }: { provide: (key: 'lab', place: Lab['place']) => void }) {
  if (opened) return provide('lab', (await opened).place)
  opened = openLab()
  const { place, close } = await opened
  provide('lab', place)
  return close
}

declare module 'vitest' {
  export interface ProvidedContext {
    lab: Lab['place']
  }
}
