import { generationOf } from '../arguments.js';
import {
  compareGenerations,
  listGenerations,
  listProjections,
  orderOf,
  orderStopped,
  rebuild,
} from '../projections.js';
import type { Call } from './call.js';
import { flag, id, required, text } from './values.js';

const ofView = { view: id('the name of a view, such as coupons', 'view') };
const ofGeneration = { ...ofView, n: { words: 'the number of a generation', parse: generationOf } };

/** Projections: their state, and how they are built again (ruling G6). */
export const PROJECTIONS: readonly Call[] = [
  {
    noun: 'projections',
    verb: 'list',
    kind: 'own',
    route: 'GET /operators/projections',
    words: 'lists the projections and their state',
    example: 'projections list',
    run: listProjections,
  },
  {
    noun: 'projections',
    verb: 'rebuild',
    kind: 'own',
    route: 'POST /operators/projections/:view/rebuild',
    words: 'builds a generation beside the live one, and follows its progress',
    example: 'projections rebuild coupons --promote',
    arguments: ofView,
    options: {
      promote: flag('promotes the generation when it is ready'),
      detach: flag('starts the build and does not wait'),
    },
    run: rebuild,
  },
  {
    noun: 'projections',
    verb: 'generations',
    kind: 'own',
    route: 'GET /operators/projections/:view/generations',
    words: 'lists the generations of a view and their state',
    example: 'projections generations coupons --watch',
    arguments: ofView,
    options: { watch: flag('follows a running build until it is ready') },
    run: listGenerations,
  },
  {
    noun: 'projections',
    verb: 'promote',
    kind: 'own',
    route: 'POST /operators/projections/:view/generations/:n/promote',
    words: 'makes a ready generation the live one; to go back, promote an older one',
    example: 'projections promote coupons 2',
    arguments: ofGeneration,
    run: orderOf('promote', 'is live'),
  },
  {
    noun: 'projections',
    verb: 'compare',
    kind: 'own',
    route: 'POST /operators/projections/:view/generations/:n/compare',
    words: 'compares the rows of a ready generation with those of the live one',
    example: 'projections compare coupons 2',
    arguments: ofGeneration,
    run: compareGenerations,
  },
  {
    noun: 'projections',
    verb: 'cancel',
    kind: 'own',
    route: 'POST /operators/projections/:view/generations/:n/cancel',
    words: 'ends a rebuild and drops what it has built',
    example: 'projections cancel coupons 2',
    arguments: ofGeneration,
    run: orderOf('cancel', 'is cancelled'),
  },
  {
    noun: 'projections',
    verb: 'drop',
    kind: 'own',
    route: 'DELETE /operators/projections/:view/generations/:n',
    words: 'drops a finished generation that is not live',
    example: 'projections drop coupons 2',
    arguments: ofGeneration,
    run: orderOf('drop', 'is dropped'),
  },
  {
    noun: 'projections',
    verb: 'resume',
    kind: 'own',
    route: 'POST /operators/projections/:view/resume',
    words: 'makes a stopped view try its event again',
    example: 'projections resume coupons',
    arguments: ofView,
    run: orderStopped('resume', 'tries its event again'),
  },
  {
    noun: 'projections',
    verb: 'skip',
    kind: 'own',
    route: 'POST /operators/projections/:view/skip',
    words: 'makes a stopped view skip the event at which it has stopped; the log keeps the event',
    example: 'projections skip coupons --position 4711',
    arguments: ofView,
    options: {
      position: required(text('the position of the event, as `projections list` shows it')),
    },
    run: orderStopped('skip', 'skips its event'),
  },
];
