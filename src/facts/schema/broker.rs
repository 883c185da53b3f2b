//! Message brokers, their consumers, and pods that share a load.

use super::facts;

facts! {
    pod: Pod {
        CPU "pod.cpu": num Count, "CPUs used on average in the window" <- ["curl http://POD/metrics (twice)", "cat cgroup cpu.stat (twice)"];
    }
}

facts! {
    broker_queue: BrokerQueue {
        CONSUMERS "broker_queue.consumers": num Count, "consumers of the queue" <- ["rabbitmqctl list_queues name consumers messages_ready messages_unacknowledged", "rabbitmqctl list_consumers"];
        READY "broker_queue.ready": num Count, "messages waiting" <- ["rabbitmqctl list_queues name consumers messages_ready messages_unacknowledged"];
        UNACKED "broker_queue.unacked": num Count, "messages delivered and not acknowledged" <- ["rabbitmqctl list_queues name consumers messages_ready messages_unacknowledged"];
    }
}

facts! {
    consumer: Consumer {
        PREFETCH "consumer.prefetch": num Count, "prefetch count, 0 is unlimited" <- ["rabbitmqctl list_consumers"];
    }
}

facts! {
    workload: Workload {
        PODS "workload.pods": num Count, "pods compared" <- ["coroner collector --k8s NAMESPACE/SELECTOR"];
    }
}
