import type { OrderOutcome, ProjectionOrder, Projections, ProjectorReport } from '#eventsourcing';

/** The service's projections, as a class so that Nest can inject them. */
export abstract class OperatedProjections implements Projections {
  abstract report(): ProjectorReport | undefined;
  abstract order(order: ProjectionOrder): Promise<OrderOutcome>;
}
