//! Message brokers, their consumers, and pods that share a load.

use super::facts;

facts! {
    pod: Pod {
        IP "pod.ip": text, "its address" <- ["kubectl get pods -o json"];
        CPU_LIMIT "pod.cpu_limit": num Count, "CPU limit, all containers; absent when one has none" <- ["kubectl get pods -o json"];
        GOMAXPROCS "pod.gomaxprocs": num Count, "GOMAXPROCS set in its environment" <- ["tr '\\0' '\\n' < /proc/PID/environ"];
        CPU "pod.cpu": num Count, "CPUs used on average in the window" <- ["curl http://POD/metrics (twice)", "cat cgroup cpu.stat (twice)"];
        MEM_USED "pod.mem_used": num Bytes, "memory in use" <- ["docker stats --no-stream", "kubectl top pod --containers"];
        MEM_BOUND "pod.mem_bound": num Bytes, "memory limit, or the host's memory where there is none" <- ["docker stats --no-stream"];
        NAMESPACE "pod.namespace": text, "Kubernetes namespace" <- ["kubectl get pods -A -o json"];
        HOST "pod.node": text, "node it runs on" <- ["kubectl get pods -A -o json"];
        PHASE "pod.phase": text, "Pending, Running, Succeeded, Failed or Unknown" <- ["kubectl get pods -A -o json"];
        REASON "pod.reason": text, "why it is in its phase (Evicted)" <- ["kubectl get pods -A -o json"];
        WAITING "pod.waiting": text, "why a container of it waits (CrashLoopBackOff)" <- ["kubectl get pods -A -o json"];
        QOS "pod.qos": text, "Guaranteed, Burstable or BestEffort" <- ["kubectl get pods -A -o json"];
        CPU_REQUEST "pod.cpu_request": num Count, "CPU request, all containers" <- ["kubectl get pods -A -o json"];
        MEM_LIMIT "pod.mem_limit": num Bytes, "memory limit, all containers; absent when one has none" <- ["kubectl get pods -A -o json"];
        MEM_REQUEST "pod.mem_request": num Bytes, "memory request, all containers" <- ["kubectl get pods -A -o json"];
        RESTARTS "pod.restarts": num Count, "restarts of its containers" <- ["kubectl get pods -A -o json"];
        OOM_KILLED "pod.oom_killed": flag, "a container of it was killed for memory, now or the last time" <- ["kubectl get pods -A -o json"];
    }
}

facts! {
    broker_queue: BrokerQueue {
        CONSUMERS "broker_queue.consumers": num Count, "consumers of the queue" <- ["rabbitmqctl list_queues name consumers messages_ready messages_unacknowledged", "rabbitmqctl list_consumers"];
        READY "broker_queue.ready": num Count, "messages waiting" <- ["rabbitmqctl list_queues name consumers messages_ready messages_unacknowledged"];
        UNACKED "broker_queue.unacked": num Count, "messages delivered and not acknowledged" <- ["rabbitmqctl list_queues name consumers messages_ready messages_unacknowledged"];
        MESSAGES "broker_queue.messages": num Count, "messages ready and unacknowledged" <- ["rabbitmqctl list_queues name messages"];
        CAPACITY "broker_queue.consumer_capacity": num Share, "share of time in which the queue could deliver to consumers at once; 0 without consumers" <- ["rabbitmqctl list_queues name consumer_capacity"];
        TYPE "broker_queue.type": text, "classic, quorum or stream" <- ["rabbitmqctl list_queues name type"];
        STATE "broker_queue.state": text, "running, flow, idle or down" <- ["rabbitmqctl list_queues name state"];
        POLICY "broker_queue.policy": text, "policy that applies to it" <- ["rabbitmqctl list_queues name policy"];
        LEADER "broker_queue.leader": text, "node that leads it" <- ["rabbitmqctl list_queues name leader", "rabbitmqctl list_queues name pid"];
        EXCLUSIVE "broker_queue.exclusive": flag, "only the connection that declared it may use it" <- ["rabbitmqctl list_queues name exclusive"];
        SINGLE_ACTIVE "broker_queue.single_active_consumer": flag, "one consumer at a time is served, by design" <- ["rabbitmqctl list_queues name arguments"];
        LAG "broker_queue.lag": num Count, "messages of a partition that the consumer group has not read (Kafka)" <- ["kafka-consumer-groups.sh --describe --group GROUP"];
    }
}

facts! {
    consumer: Consumer {
        ORDINAL "consumer.ordinal": num Count, "place in the order in which the queue serves its consumers, from 0" <- ["rabbitmqctl list_consumers"];
        TAG "consumer.tag": text, "consumer tag" <- ["rabbitmqctl list_consumers"];
        CHANNEL "consumer.channel": text, "its channel: number and serial of the process id, or the channel's name" <- ["rabbitmqctl list_consumers"];
        CONNECTION "consumer.connection": text, "name of its connection" <- ["curl http://BROKER:15672/api/consumers"];
        PEER "consumer.peer_host": text, "address of the client" <- ["curl http://BROKER:15672/api/consumers", "kafka-consumer-groups.sh --describe --group GROUP"];
        PREFETCH "consumer.prefetch": num Count, "prefetch count, 0 is unlimited" <- ["rabbitmqctl list_consumers"];
        ACK "consumer.ack_required": flag, "messages must be acknowledged; without it prefetch does not count" <- ["rabbitmqctl list_consumers"];
        ACTIVE "consumer.active": flag, "the queue delivers to it" <- ["rabbitmqctl list_consumers queue_name channel_pid consumer_tag ack_required prefetch_count active"];
        EXCLUSIVE "consumer.exclusive": flag, "exclusive consumer" <- ["curl http://BROKER:15672/api/consumers"];
        LAG "consumer.lag": num Count, "messages of its partitions not yet read (Kafka)" <- ["kafka-consumer-groups.sh --describe --group GROUP"];
        TASKS "consumer.tasks": num Count, "tasks it holds: running, reserved or scheduled (Celery)" <- ["celery -A APP inspect active"];
    }
}

facts! {
    channel: Channel {
        PID "channel.pid": text, "number and serial of its Erlang process" <- ["rabbitmqctl list_channels pid name"];
        CONNECTION_PID "channel.connection_pid": text, "number and serial of its connection's process" <- ["rabbitmqctl list_channels pid connection"];
        CONNECTION "channel.connection": text, "name of its connection" <- ["rabbitmqctl list_channels pid name", "curl http://BROKER:15672/api/channels"];
        PEER "channel.peer_host": text, "address of the client" <- ["curl http://BROKER:15672/api/channels"];
        USER "channel.user": text, "user" <- ["rabbitmqctl list_channels pid user"];
        CONSUMERS "channel.consumers": num Count, "consumers on it" <- ["rabbitmqctl list_channels pid consumer_count"];
        PREFETCH "channel.prefetch": num Count, "prefetch count for new consumers, 0 is unlimited" <- ["rabbitmqctl list_channels pid prefetch_count"];
        GLOBAL_PREFETCH "channel.global_prefetch": num Count, "prefetch count of the whole channel, 0 is unlimited" <- ["rabbitmqctl list_channels pid global_prefetch_count"];
        UNACKED "channel.unacked": num Count, "messages delivered on it and not acknowledged" <- ["rabbitmqctl list_channels pid messages_unacknowledged"];
    }
}

facts! {
    connection: Connection {
        PID "connection.pid": text, "number and serial of its Erlang process" <- ["rabbitmqctl list_connections pid name"];
        PEER "connection.peer_host": text, "address of the client" <- ["rabbitmqctl list_connections pid name peer_host"];
        CLIENT "connection.client": text, "name that the client gave it" <- ["rabbitmqctl list_connections pid name client_properties"];
        STATE "connection.state": text, "running, flow, blocking, blocked" <- ["rabbitmqctl list_connections pid name state"];
        CHANNELS "connection.channels": num Count, "channels on it" <- ["rabbitmqctl list_connections pid name channels"];
    }
}

facts! {
    broker: Host {
        VERSION "host.broker_version": text, "RabbitMQ version" <- ["rabbitmqctl status"];
        NODE "host.broker_node": text, "name of the broker's node" <- ["rabbitmqctl status"];
        MEM_ALARM "host.broker_mem_alarm": flag, "the memory alarm blocks publishers" <- ["rabbitmqctl status", "curl http://BROKER:15672/api/nodes"];
        DISK_ALARM "host.broker_disk_alarm": flag, "the free disk alarm blocks publishers" <- ["rabbitmqctl status", "curl http://BROKER:15672/api/nodes"];
        FD_USED "host.broker_fd_used": num Count, "file descriptors that the broker uses" <- ["rabbitmqctl status"];
        FD_LIMIT "host.broker_fd_limit": num Count, "file descriptors that the broker may use" <- ["rabbitmqctl status"];
        QUEUE "host.capture_queue": text, "queue that the capture is about" <- ["coroner collector --k8s NAMESPACE/SELECTOR"];
        WORKLOAD "host.capture_workload": text, "set of pods that the capture is about" <- ["coroner collector --k8s NAMESPACE/SELECTOR"];
    }
}

facts! {
    workload: Workload {
        PODS "workload.pods": num Count, "pods compared" <- ["coroner collector --k8s NAMESPACE/SELECTOR"];
    }
}
