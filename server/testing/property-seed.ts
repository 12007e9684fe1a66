import fc from 'fast-check'

// A fixed seed, so that only a change can turn `npm test` red. `SEED=random` searches further.
if (process.env.SEED !== 'random') fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) })
